# SPDX-License-Identifier: Apache-2.0
"""The way from this process to the gauge that watches it, if one does."""
import os

STEP, EPOCH, PHASE_BEGIN, PHASE_END, DISTINCT, NOTE = 1, 2, 3, 4, 5, 6
EXPLICIT = 1


def functions():
    """mark, text and their like (probe/marks.h) as built-in functions; None where no gauge listens."""
    if not os.environ.get("TIDEGAUGE_RING"):
        return None
    try:
        import ctypes

        for library in (None, os.path.join(os.path.dirname(__file__), "lib", "libtidegauge_probe.so")):
            # None: the preloaded probe, which is in this process already.
            try:
                make = ctypes.PyDLL(library).tidegauge_python_functions
            except (OSError, AttributeError):
                continue
            make.restype = ctypes.py_object
            made = make()
            if made.get("has_ring"):
                return made
    except Exception:  # no ctypes, a library of another machine: marks are not worth a job
        pass
    return None
