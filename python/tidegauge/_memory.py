# SPDX-License-Identifier: Apache-2.0
"""What this process holds, by kind, read cheaply enough to be logged at every step."""
import time

# Walking a large process's page tables, and asking CUDA, take long: at most once in this many seconds.
SLOW_EVERY_SECONDS = 1.0
# smaps_rollup takes 4 to 6 ms per GiB, in which this process cannot map memory.
ROLLUP_BUDGET = 0.001

_STATUS = {"VmRSS": "rss", "RssAnon": "anon", "RssShmem": "shmem", "RssFile": "file", "VmSwap": "swap", "VmHWM": "peak"}


def _kilobytes(path, names):
    found = {}
    with open(path, "rb") as lines:
        for line in lines:
            key, _, rest = line.partition(b":")
            name = names.get(key.decode("ascii", "replace"))
            if name is not None:
                found[name] = found.get(name, 0) + int(rest.split()[0]) * 1024
    return found


class Memory:
    """Reads this process's memory in bytes: {"rss": …, "anon": …, "uss": …, "gpu_allocated": …}. Absent is absent."""

    def __init__(self):
        self._slow_at = 0.0
        self._rollup_at = 0.0
        self._slow = {}
        self._rollup = {}

    def read(self):
        try:
            now = _kilobytes("/proc/self/status", _STATUS)
        except OSError:
            now = {}
        clock = time.monotonic()
        if clock - self._slow_at >= SLOW_EVERY_SECONDS:
            self._slow_at = clock
            self._slow = {**_cuda(), **_pinned()}
        if clock >= self._rollup_at:
            self._read_rollup()
        return {**now, **self._rollup, **self._slow}

    def _read_rollup(self):
        before = time.monotonic()
        try:
            parts = _kilobytes("/proc/self/smaps_rollup", {"Private_Clean": "uss", "Private_Dirty": "uss", "Pss": "pss"})
        except OSError:
            parts = {}
        took = time.monotonic() - before
        self._rollup = parts
        self._rollup_at = before + max(SLOW_EVERY_SECONDS, took / ROLLUP_BUDGET)


def _torch():
    import sys

    torch = sys.modules.get("torch")
    return torch if torch is not None and torch.cuda.is_initialized() else None


def _cuda():
    torch = _torch()
    if torch is None:
        return {}
    try:
        stats = torch.cuda.memory.memory_stats_as_nested_dict()  # a fifth of what memory_allocated() costs
        return {
            "gpu_allocated": stats["allocated_bytes"]["all"]["current"],
            "gpu_reserved": stats["reserved_bytes"]["all"]["current"],
        }
    except Exception:
        return {}


def _pinned():
    torch = _torch()
    try:
        stats = torch.cuda.host_memory_stats() if torch is not None else {}
        return {"pinned": stats["allocated_bytes.current"]} if "allocated_bytes.current" in stats else {}
    except Exception:
        return {}


def tensors(most=10):
    """Live tensors that Python knows, largest groups first: (device, dtype, shape, count, bytes). Takes a walk over the heap."""
    import gc
    import sys

    torch = sys.modules.get("torch")
    if torch is None:
        return [], {}
    groups, devices, seen = {}, {}, set()
    for thing in gc.get_objects():
        # isinstance() would run properties of lazy modules; the type itself does not.
        if not issubclass(type(thing), torch.Tensor):
            continue
        try:
            device = str(thing.device)
            storage = thing.untyped_storage()
            size = 0 if storage.data_ptr() in seen else storage.nbytes()
            seen.add(storage.data_ptr())
            key = (device, str(thing.dtype).replace("torch.", ""), tuple(thing.shape))
        except Exception:
            continue  # meta, sparse, functorch's: no storage of their own
        count, total = groups.get(key, (0, 0))
        groups[key] = (count + 1, total + size)
        devices[device] = devices.get(device, 0) + 1
    largest = sorted(((*key, *value) for key, value in groups.items()), key=lambda group: -group[4])
    return largest[:most], devices


def mib(memory):
    """For logs: {"memory/rss_mib": 1234.5, …}."""
    return {f"memory/{name}_mib": round(value / 2**20, 1) for name, value in memory.items()}


