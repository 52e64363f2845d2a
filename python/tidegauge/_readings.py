# SPDX-License-Identifier: Apache-2.0
"""A series of this process's memory by step, taken cheaply and kept small, as the verdict engine reads it."""
from __future__ import annotations

import array
import os
import sys

# Reading takes 2 µs: so much time between two of them makes it 1 % of the run.
SECONDS_BETWEEN_READINGS = 0.0002
MOST_READINGS = 2000
ALWAYS_KEPT = 20  # the first ones, however fast they come
NO_GPU = -1


def gpu_bytes() -> int:
    """What tensors take on this process's current GPU, or NO_GPU."""
    torch = sys.modules.get("torch")
    try:
        return torch.cuda.memory_allocated() if torch is not None and torch.cuda.is_initialized() else NO_GPU
    except Exception:  # half imported, or a build without CUDA
        return NO_GPU


class Readings:
    """Private memory by step, thinned out evenly so that a long run stays small.

    The room for it is taken at the beginning: growth of our own would be growth of what is measured.
    """

    def __init__(self, with_gpu: bool = True, with_time: bool = False) -> None:
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._file = -1
        self._pid = 0  # whose file it is
        self._with_gpu = with_gpu
        self._with_time = with_time
        self.count = 0
        self._steps, self._sizes, self._gpu = (array.array("q", bytes(8 * MOST_READINGS)) for _ in range(3))
        self._clocks = array.array("d", bytes(8 * MOST_READINGS))
        self._last_at = float("-inf")
        self._gap = SECONDS_BETWEEN_READINGS

    def close(self) -> None:
        if self._pid == os.getpid():
            os.close(self._file)
        self._file, self._pid = -1, 0

    def __getstate__(self) -> dict:  # an open file is a number that means something else in another process
        return {**self.__dict__, "_file": -1, "_pid": 0}

    def now(self) -> int:
        if self._pid != os.getpid():  # the first time, or in a child: the file is about whoever opened it
            self._file = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
            self._pid = os.getpid()
        fields = os.pread(self._file, 256, 0).split()
        return (int(fields[1]) - int(fields[2])) * self._page  # resident, less what files and others share

    def last(self) -> int:
        return self._sizes[self.count - 1] if self.count else 0

    def take(self, step: int, clock: float) -> None:
        """Reads, unless the last time was a moment ago."""
        if clock - self._last_at < self._gap and self.count > ALWAYS_KEPT:
            return
        self._last_at = clock
        self._steps[self.count] = step
        self._clocks[self.count] = clock
        self._sizes[self.count] = self.now()
        self._gpu[self.count] = gpu_bytes() if self._with_gpu else NO_GPU
        self.count += 1
        if self.count == MOST_READINGS:
            self._thin_out()

    def _thin_out(self) -> None:
        columns: tuple = (self._steps, self._clocks, self._sizes, self._gpu)
        for column in columns:
            column[: MOST_READINGS // 2] = column[::2]
        self.count = MOST_READINGS // 2
        self._gap = (self._clocks[self.count - 1] - self._clocks[0]) / self.count  # as far apart as those that are left

    def series(self) -> list:
        """(step, bytes) pairs."""
        return list(zip(self._steps[: self.count], self._sizes[: self.count]))

    def write(self, path: str) -> None:
        """As the CSV that `tidegauge judge` reads."""
        columns: dict = {"step": self._steps, "anon_bytes": self._sizes}
        if self._with_time:
            columns = {"time": self._clocks, **columns}
        if any(self._gpu[n] != NO_GPU for n in range(self.count)):
            columns["gpu_bytes"] = self._gpu
        with open(path, "w", encoding="ascii") as file:
            file.write(",".join(columns) + "\n")
            for n in range(self.count):
                cells = (column[n] for column in columns.values())
                file.write(",".join("" if cell == NO_GPU else f"{cell:.17g}" for cell in cells) + "\n")
