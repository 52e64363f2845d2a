# SPDX-License-Identifier: Apache-2.0
"""Advice on a DataLoader from what it does here: how long the loop waits for it, what its workers use and hold.

    watched = tidegauge.loading.Watched(loader)
    for batch in watched:
        train(batch)
    print(watched.advice())
"""
from __future__ import annotations

import math
import os
import time
from typing import Any, Iterator, Optional

from tidegauge._memory import kilobytes
from tidegauge._units import shown
from tidegauge.retention import _large, _leaves

# Below the first share of its time a loop does not notice its loader; above the second it is held up by it.
UNNOTICED, HELD_UP = 0.05, 0.10
# A worker that uses less of a processor waits for something else.
IDLE = 0.6
LOOK_EVERY_SECONDS = 0.1  # at the processor time, which takes 20 µs
MEMORY_EVERY_SECONDS = 1.0  # at the memory, which takes 5 ms a GiB
FEWEST_SECONDS = 0.2  # of processor time being watched, below which nothing is said of it
_PARTS = {"Private_Clean": "private", "Private_Dirty": "private"}


class _Worker:
    """What one worker process has used and holds."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.cpu_before = self._cpu()
        self.cpu = 0.0
        self.began = time.monotonic()
        self.seconds = 0.0  # for how long the processor time was watched
        self._memory_at = float("-inf")
        self.first_private: Optional[int] = None
        self.private: Optional[int] = None

    def _cpu(self) -> float:
        """Seconds that it ran or would have, had a processor been free: a busy machine does not make it idle."""
        with open(f"/proc/{self.pid}/schedstat", "rb") as file:
            ran, waited, _ = file.read().split()
        return (int(ran) + int(waited)) / 1e9

    def look(self) -> None:
        now = time.monotonic()
        try:
            self.cpu = self._cpu() - self.cpu_before
        except (OSError, ValueError):  # it has ended
            return
        self.seconds = now - self.began
        if now - self._memory_at < MEMORY_EVERY_SECONDS:
            return
        self._memory_at = now
        private = kilobytes(f"/proc/{self.pid}/smaps_rollup", _PARTS).get("private")
        if private is not None:
            self.private = private
            self.first_private = private if self.first_private is None else self.first_private


class Watched:
    """A DataLoader, watched while it is iterated. Everything else is the loader's."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.batches = 0
        self.waited = 0.0  # seconds that the loop waited for a batch, the first one of each pass aside
        self.started = 0.0  # seconds until the first batch of each pass
        self.seconds = 0.0
        self.batch_bytes = 0
        self.passes = 0
        self.cpu = 0.0  # of all workers
        self.workers: dict = {}
        self._looked_at = 0.0
        self._first_wait = 0.0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "loader":
            raise AttributeError(name)
        return getattr(self.loader, name)

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[Any]:
        self.passes += 1
        began = time.monotonic()
        batches = iter(self.loader)
        try:
            for batch in self._timed(batches, began):
                yield batch
                del batch
        finally:  # a loop may break off
            self.seconds += time.monotonic() - began - self._first_wait
            self._look(batches, math.inf)

    def _timed(self, batches: Any, before: float) -> Iterator[Any]:
        self._first_wait, first = 0.0, True
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                return
            waited, now = time.monotonic() - before, time.monotonic()
            if first:
                self._first_wait, first = waited, False
                self.started += waited
            else:
                self.waited += waited
            self.batches += 1
            if self.batch_bytes == 0:
                self.batch_bytes = sum(map(_large, _leaves(batch)))
            self._look(batches, now)
            yield batch
            del batch
            before = time.monotonic()

    def _look(self, batches: Any, now: float) -> None:
        if now - self._looked_at < LOOK_EVERY_SECONDS:
            return
        self._looked_at = time.monotonic()
        for process in getattr(batches, "_workers", None) or ():
            pid = getattr(process, "pid", None)
            try:
                if pid is not None and pid not in self.workers:
                    self.workers[pid] = _Worker(pid)
                self.workers[pid].look()
            except (OSError, ValueError, KeyError):  # it has ended, or the kernel keeps no such account
                continue

    @property
    def wait_share(self) -> float:
        return self.waited / self.seconds if self.seconds > 0 else 0.0

    def advice(self) -> str:
        """What was measured, and what to change; one sentence a line."""
        if self.batches < 2 or self.seconds <= 0:
            return "DataLoader: too few batches to say anything"
        workers = getattr(self.loader, "num_workers", 0) or 0
        lines = [f"DataLoader: {self.batches} batches in {self.passes} passes, {workers} workers; "
                 f"the loop waits for it {100 * self.wait_share:.0f} % of the time"]  # fmt: skip
        lines += self._about_speed(workers) + self._about_memory(workers)
        return "\n".join(lines)

    def _about_speed(self, workers: int) -> list:
        cpus = len(os.sched_getaffinity(0))
        if workers == 0:
            if self.wait_share < HELD_UP:
                return ["loading in the loop's own process is cheap here: workers would cost memory and gain little"]
            needed = min(cpus, max(1, math.ceil(self.wait_share / max(0.05, 1 - self.wait_share))))
            return [f"num_workers={needed} would load the next batches meanwhile ({cpus} processors are there)"]
        watched = sum(worker.seconds for worker in self.workers.values())
        busy = sum(worker.cpu for worker in self.workers.values()) / watched if watched > FEWEST_SECONDS else None
        if self.wait_share < UNNOTICED and workers > 1 and busy is not None:
            enough = max(1, math.ceil(busy * workers * 1.25))
            if enough < workers:
                return [f"the workers are busy {100 * busy:.0f} % of the time: num_workers={enough} would do"]
        if self.wait_share > HELD_UP:
            if busy is not None and busy < IDLE:
                return [f"the loop is held up, and the workers use the processor {100 * busy:.0f} % of the time: "
                        "they wait for files or the network, and more of them would help"]  # fmt: skip
            if workers < cpus:
                return [f"the loop is held up: more workers ({cpus} processors are there), or cheaper samples"]
            return [f"the loop is held up and all {cpus} processors have a worker: only cheaper samples would help"]
        return []

    def _about_memory(self, workers: int) -> list:
        lines = []
        known = [worker for worker in self.workers.values() if worker.private is not None]
        if known:
            private = sum(worker.private for worker in known) / len(known)
            lines.append(f"a worker holds {shown(private)} of its own, so {workers} of them {shown(private * workers)}")
            grown = sum(worker.private - worker.first_private for worker in known) / len(known)
            if grown > 0.2 * private and grown > 1 << 20:
                lines.append(f"a worker grew by {shown(grown)} while it was watched: see whether the data set keeps what it reads")
        ahead = workers * (getattr(self.loader, "prefetch_factor", None) or 0) * self.batch_bytes
        if ahead > 0:
            lines.append(f"batches that are loaded ahead take up to {shown(ahead)} of shared memory")
        if workers and self.passes > 1 and not getattr(self.loader, "persistent_workers", False):
            lines.append(f"workers are started anew in each pass ({self.started / self.passes:.1f} s to the first batch): "
                         "persistent_workers=True keeps them, and what they hold")  # fmt: skip
        return lines
