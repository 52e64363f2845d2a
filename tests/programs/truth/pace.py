# SPDX-License-Identifier: Apache-2.0
"""Time for the programs of known truth, as in pace.h: seconds and a seed as arguments, 50 ticks a second."""
import random
import sys
import time

MEGABYTE = 1 << 20


class Pace:
    def __init__(self):
        self.seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
        self.random = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
        self.ticks = int(self.seconds * 50)
        self.tick = 0

    def __iter__(self):
        """Yields how much of the run is over, 0 to 1, at each tick."""
        begin = time.monotonic()
        for self.tick in range(1, self.ticks + 1):
            time.sleep(max(0.0, begin + self.tick * 0.02 - time.monotonic()))
            yield self.tick / self.ticks

    def due(self, per_run):
        """How many of `per_run` things are due at this tick."""
        return int(per_run * self.tick / self.ticks) - int(per_run * (self.tick - 1) / self.ticks)
