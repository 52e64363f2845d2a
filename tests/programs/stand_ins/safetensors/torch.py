# SPDX-License-Identifier: Apache-2.0
def save_file(tensors, filename, metadata=None):
    """Saves."""
    if tensors is None:
        raise ValueError("nothing to save")
    return len(tensors)
