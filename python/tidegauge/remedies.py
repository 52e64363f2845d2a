# SPDX-License-Identifier: Apache-2.0
"""What a training loop can do about its memory, each with its cost measured. docs/remedies.md says when it helps.

    cleanup = tidegauge.remedies.Cleanup(every=10)
    for batch in loader:
        …
        cleanup.step()
    print(cleanup.report())
"""
from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from typing import Any, Optional, Union

from tidegauge._units import shown, size_of

__all__ = ["Cleanup", "MallocState", "malloc_state", "malloc_trim", "tune_malloc"]

_LARGEST = {"trim_threshold": -1, "mmap_threshold": -3, "arenas": -8}  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX
_VARIABLES = {"trim_threshold": "MALLOC_TRIM_THRESHOLD_", "mmap_threshold": "MALLOC_MMAP_THRESHOLD_", "arenas": "MALLOC_ARENA_MAX"}


def _libc() -> Optional[ctypes.CDLL]:
    """glibc, if malloc is its own: another one (jemalloc, tcmalloc) leaves glibc's idle, and musl has none of this."""
    try:
        process = ctypes.CDLL(None)
        process.gnu_get_libc_version  # noqa: B018 -- glibc's mark
        if getattr(process, "mallctl", None) or getattr(process, "MallocExtension_ReleaseFreeMemory", None):
            return None
        return process
    except (OSError, AttributeError):
        return None


class MallocState:
    """What glibc's malloc holds: `live_bytes` in use, `kept_bytes` free and kept, in heaps that the program had."""

    def __init__(self, live_bytes: int, kept_bytes: int) -> None:
        self.live_bytes = live_bytes
        self.kept_bytes = kept_bytes

    def __repr__(self) -> str:
        return f"<malloc: {shown(self.live_bytes)} live, {shown(self.kept_bytes)} free but kept>"


def malloc_state() -> Optional[MallocState]:
    """None where it cannot be had: no glibc, one older than 2.33, or another malloc in its place."""

    class Info(ctypes.Structure):
        names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
        _fields_ = [(name, ctypes.c_size_t) for name in names]

    libc = _libc()
    try:
        ask = libc.mallinfo2  # type: ignore[union-attr]
    except AttributeError:
        return None
    ask.restype = Info
    info = ask()
    return MallocState(info.uordblks + info.hblkhd, info.fordblks)


def malloc_trim() -> Optional[bool]:
    """Gives free memory that malloc keeps back to the kernel. Whether any was; None where there is no such call."""
    libc = _libc()
    return None if libc is None else bool(libc.malloc_trim(0))


def tune_malloc(arenas: Optional[int] = None, trim_threshold: Union[str, int, None] = None,
                mmap_threshold: Union[str, int, None] = None) -> dict:  # fmt: skip
    """Makes glibc keep less: fewer arenas, an earlier trim, smaller blocks that go back by themselves when freed.

    Call it first thing in the program: what is allocated already stays where it is. Returns the environment variables
    that do the same from the start of a process, its children included. Empty where malloc is not glibc's.
    """
    libc = _libc()
    if libc is None:
        return {}
    asked = {"arenas": arenas, "trim_threshold": trim_threshold, "mmap_threshold": mmap_threshold}
    done = {}
    for name, value in asked.items():
        if value is not None and libc.mallopt(_LARGEST[name], ctypes.c_int(size_of(value))) == 1:
            done[_VARIABLES[name]] = str(size_of(value))
    return done


def _rss() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Cleanup:
    """Cleans up every `every` steps: gradients to None, a garbage collection, torch's caches, malloc's free memory.

    It gives back what nobody uses any more, and nothing else: memory that something still holds (a list of decoded images, a
    history of losses with their graphs) stays. report() says what it cost and what it gave back here.
    """

    def __init__(self, every: int = 10, collect: bool = True, empty_cache: bool = True, trim: bool = True,
                 zero_grad: Any = None) -> None:  # fmt: skip
        self.every = max(1, int(every))
        self._parts = {
            "zero_grad": (lambda: zero_grad.zero_grad(set_to_none=True)) if zero_grad is not None else None,
            "gc": gc.collect if collect else None,
            "empty_cache": _empty_cache if empty_cache else None,
            "malloc_trim": malloc_trim if trim else None,
        }
        self.seconds = {name: 0.0 for name, part in self._parts.items() if part is not None}
        self.given_back = {name: 0 for name in self.seconds}
        self.times = 0
        self._steps = 0
        self._began = time.monotonic()

    def step(self) -> None:
        """At the end of an optimizer step."""
        self._steps += 1
        if self._steps % self.every == 0:
            self.now()

    def now(self) -> None:
        self.times += 1
        for name in self.seconds:
            part = self._parts[name]
            assert part is not None
            rss, began = _rss(), time.monotonic()
            try:
                part()
            except Exception:  # a remedy must not end what it is meant to help
                pass
            self.seconds[name] += time.monotonic() - began
            self.given_back[name] += max(0, rss - _rss())

    def report(self) -> str:
        """What it cost and gave back, in one paragraph."""
        if self.times == 0:
            return "cleanup: never came to it"
        total = sum(self.seconds.values())
        share = total / max(1e-9, time.monotonic() - self._began)
        parts = ", ".join(
            f"{name} {1000 * seconds / self.times:.1f} ms and {shown(self.given_back[name] / self.times)}"
            for name, seconds in self.seconds.items()
        )
        words = (
            f"cleanup: {self.times} times, {1000 * total / self.times:.1f} ms each ({100 * share:.1f} % of the time); "
            f"each time and given back to the system: {parts}"
        )
        given = sum(self.given_back.values()) / self.times
        return words + ("" if given >= WORTH_BYTES else ". It gives back next to nothing here: leave it out")


# What a cleanup should give back at least to be worth anything.
WORTH_BYTES = 1 << 20


def _empty_cache() -> None:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
