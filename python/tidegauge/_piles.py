# SPDX-License-Identifier: Apache-2.0
"""What piles up from step to step: objects by type, and the lines that allocated what stayed.

Looked at only once a leak is known, over some more steps, so that looking never changes what was measured.
"""
from __future__ import annotations

import gc
import linecache
import os
import tracemalloc
from typing import Optional

from tidegauge._units import shown

FRAMES = 6
MOST_LINES = 6
# A type that grows in fewer of the steps is noise (caches, this module), and so is a line with a smaller share of the growth.
SHARE_OF_STEPS = 0.2
SHARE_OF_GROWTH = 0.05


def _types() -> dict:
    counts: dict = {}
    for thing in gc.get_objects():
        kind = type(thing)
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def _named(kind: type) -> str:
    module = getattr(kind, "__module__", "")
    return kind.__qualname__ if module in ("builtins", "", None) else f"{module}.{kind.__qualname__}"


class Piles:
    """Between begin() and end() some steps are done; lines() then says what stayed of them."""

    def __init__(self) -> None:
        self._types_before: dict = {}
        self._before: Optional[tracemalloc.Snapshot] = None
        self._ours = False
        self.looked = False
        self.types: list = []  # (name, how many more a step)
        self.sites: list = []  # (bytes a step, file, line)

    def begin(self) -> None:
        gc.collect()
        self._ours = not tracemalloc.is_tracing()
        if self._ours:
            tracemalloc.start(FRAMES)
        self._before = self._snapshot()
        self._types_before = _types()  # after the snapshot, which is made of many tuples itself

    def end(self, steps: int) -> None:
        gc.collect()
        now = _types()
        after = self._snapshot()
        if self._ours:
            tracemalloc.stop()
        if steps <= 0 or self._before is None:
            return
        self.looked = True
        grown = ((_named(kind), (count - self._types_before.get(kind, 0)) / steps) for kind, count in now.items())
        self.types = sorted((one for one in grown if one[1] >= SHARE_OF_STEPS), key=lambda one: -one[1])[:MOST_LINES]
        by_line: dict = {}
        for difference in after.compare_to(self._before, "traceback"):
            frame = _of_the_user(difference.traceback)
            where = (frame.filename, frame.lineno)
            by_line[where] = by_line.get(where, 0) + difference.size_diff / steps
        self.sites = sorted(((size, *where) for where, size in by_line.items() if size > 0), reverse=True)[:MOST_LINES]

    @staticmethod
    def _snapshot() -> tracemalloc.Snapshot:
        own = os.path.join(os.path.dirname(__file__), "*")
        return tracemalloc.take_snapshot().filter_traces((tracemalloc.Filter(False, tracemalloc.__file__),
                                                          tracemalloc.Filter(False, own)))  # fmt: skip

    def lines(self, rate: float) -> list:
        """Sentences; `rate` is what the process grows by, in bytes a step."""
        if not self.looked:
            return []
        out = []
        sites = [site for site in self.sites if site[0] >= SHARE_OF_GROWTH * rate]
        for size, file, line in sites:
            code = linecache.getline(file, line).strip()
            out.append(f"  {shown(size):>9} a step stay of {os.path.basename(file)}:{line}: {code}")
        rest = rate - sum(size for size, _, _ in sites)
        if rest > rate / 2:
            out.append(f"  {shown(rest):>9} a step were not allocated by Python: tensors, images, buffers of libraries")
        for name, count in self.types:
            out.append(f"  {count:>9.1f} more {name} a step")
        return out


def _of_the_user(traceback: tracemalloc.Traceback) -> tracemalloc.Frame:
    """The innermost line that is neither Python's nor an installed package's; otherwise the innermost."""
    for frame in reversed(traceback):
        if "site-packages" not in frame.filename and f"{os.sep}lib{os.sep}python" not in frame.filename:
            return frame
    return traceback[-1]
