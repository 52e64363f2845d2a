# SPDX-License-Identifier: Apache-2.0
"""What this process holds, by kind, read cheaply enough to be logged at every step."""
from __future__ import annotations

import gc
import sys
import time
from typing import Any

# Walking a large process's page tables, and asking CUDA, take long: at most once in this many seconds.
SLOW_EVERY_SECONDS = 1.0
# smaps_rollup takes 4 to 6 ms per GiB, in which this process cannot map memory; looking at every object of the heap takes
# 50 ms per million. Neither may take a larger share of the time than this.
ROLLUP_SHARE = 0.001
TENSORS_SHARE = 0.005

_STATUS = {"VmRSS": "rss", "RssAnon": "anon", "RssShmem": "shmem", "RssFile": "file", "VmSwap": "swap", "VmHWM": "peak"}
_ROLLUP = {"Private_Clean": "uss", "Private_Dirty": "uss", "Pss": "pss"}


def kilobytes(path: str, names: dict) -> dict:
    """Sums of the lines "Name: 123 kB" of a file in /proc, in bytes, under new names; {} where it cannot be read."""
    found: dict = {}
    try:
        with open(path, "rb") as lines:
            for line in lines:
                key, _, rest = line.partition(b":")
                name = names.get(key.decode("ascii", "replace"))
                if name is not None:
                    found[name] = found.get(name, 0) + int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):  # gone, forbidden, or of another kernel
        return {}
    return found


class _Rarely:
    """What `read` returns, called only when its cost is a small share of the time that has passed. Between two of them there is
    nothing, but for the first moment: an old number beside new ones would say that nothing has changed."""

    def __init__(self, read: Any, share: float) -> None:
        self._read = read
        self._share = share
        self._read_at = float("-inf")
        self._next_at = float("-inf")
        self._last: dict = {}

    def value(self, at_any_cost: bool = False) -> dict:
        now = time.monotonic()
        if at_any_cost or now >= self._next_at:
            try:
                self._last = self._read()
            except Exception:  # what is logged beside the loss must not end the job
                self._last = {}
            took = time.monotonic() - now
            self._read_at = now
            self._next_at = now + max(SLOW_EVERY_SECONDS, took / self._share)
        return self._last if now <= self._read_at + SLOW_EVERY_SECONDS else {}


class Memory:
    """Reads this process's memory in bytes, {"rss": …, "anon": …, "uss": …, "gpu_allocated": …}, and counts of tensors.

    Absent is absent: no "gpu_allocated" without a GPU in use, and no "uss" where it was not read in the last second.
    """

    def __init__(self, count_tensors: bool = True) -> None:
        self._rollup = _Rarely(lambda: kilobytes("/proc/self/smaps_rollup", _ROLLUP), ROLLUP_SHARE)
        self._cuda = _Rarely(_cuda, 1.0)
        self._tensors = _Rarely(lambda: tensors(0)[1] if count_tensors else {}, TENSORS_SHARE)

    def read(self, at_any_cost: bool = False) -> dict:
        slow = (self._rollup.value(at_any_cost), self._cuda.value(at_any_cost))
        return {**kilobytes("/proc/self/status", _STATUS), **slow[0], **slow[1]}

    def tensor_counts(self) -> dict:
        """Live tensors that Python knows, by device."""
        return self._tensors.value()


def _cuda() -> dict:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return {}
    stats = torch.cuda.memory.memory_stats_as_nested_dict()  # a fifth of what memory_allocated() costs
    found = {
        "gpu_allocated": stats["allocated_bytes"]["all"]["current"],
        "gpu_reserved": stats["reserved_bytes"]["all"]["current"],
    }
    host = getattr(torch.cuda, "host_memory_stats", None)  # torch 2.6 and later
    pinned = host().get("allocated_bytes.current") if host is not None else None
    if pinned is not None:
        found["pinned"] = pinned
    return found


def tensors(most: int = 10) -> tuple:
    """Live tensors that Python knows: the largest groups (device, dtype, shape, count, bytes), and counts by device.

    Takes a walk over the heap. Views share their bytes: each storage is counted once, with the first that is met.
    """
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tensor"):
        return [], {}
    groups: dict = {}
    devices: dict = {}
    seen: set = set()
    for thing in gc.get_objects():
        # isinstance() would run properties of lazy modules; the type itself does not.
        if not issubclass(type(thing), torch.Tensor):
            continue
        try:
            device = str(thing.device)
            storage = thing.untyped_storage()
            where = (device, storage.data_ptr())
            size = 0 if where in seen else storage.nbytes()
            key = (device, str(thing.dtype).replace("torch.", ""), tuple(thing.shape))
        except Exception:
            continue  # meta, sparse, functorch's: no storage of their own
        seen.add(where)
        count, total = groups.get(key, (0, 0))
        groups[key] = (count + 1, total + size)
        devices[device] = devices.get(device, 0) + 1
    largest = sorted(((*key, *value) for key, value in groups.items()), key=lambda group: -group[4])
    return largest[:most], devices


def logged(memory: dict, counts: dict) -> dict:
    """For a trainer's log: {"memory/rss_mib": 1234.5, "memory/tensors_cpu": 330, …}."""
    out: dict = {f"memory/{name}_mib": round(value / 2**20, 1) for name, value in memory.items()}
    out.update({f"memory/tensors_{device}": count for device, count in counts.items()})
    return out
