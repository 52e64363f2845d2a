# SPDX-License-Identifier: Apache-2.0
"""The second way into a Python process, for where the probe cannot be preloaded: `tidegauge run` puts this folder into PYTHONPATH.
The user's own sitecustomize runs as if this one were not there, once, and neither sys.path nor sys.modules tells of us."""
import sys


def _listen(folder):
    import os

    if not os.environ.get("TIDEGAUGE_RING") or os.environ.get("TIDEGAUGE_NO_HOOKS"):
        return
    import ctypes

    ctypes.PyDLL(os.path.join(os.path.dirname(folder), "libtidegauge_probe.so")).tidegauge_python_boot()


def _hand_over(folder):
    from importlib.machinery import PathFinder

    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.path_importer_cache.pop(folder, None)
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None:
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")  # which site expects
    from importlib.util import module_from_spec

    module = sys.modules["sitecustomize"] = module_from_spec(spec)
    spec.loader.exec_module(module)


_folder = __file__.rpartition("/")[0]
try:
    _listen(_folder)
except Exception:
    pass  # no ctypes, a library of another machine: marks are not worth a job
_hand_over(_folder)
