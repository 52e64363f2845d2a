# SPDX-License-Identifier: Apache-2.0
"""A heap of about that many objects, of which a third is known to the collector, and a clock that feels every stop.

    heap_of.py OBJECTS [TENSOR_BYTES]

Says "ready OBJECTS", then answers each line with the longest gap of its clock since the last one, in ms.
"""
import gc
import sys
import threading
import time

OBJECTS_OF_A_SAMPLE = 13


class Sample:
    def __init__(self, i):
        self.name = "sample %d" % i
        self.number = i * 1000 + 7
        self.values = [i * 1.5, i * 2.5, i + 0.25, i / 7]
        self.meta = {"row": i + 1_000_000, "pair": (i + 3_000_000, "at %d" % i)}


class Dataset:
    def __init__(self, samples):
        self.samples = [Sample(i) for i in range(samples)]


class Beat(threading.Thread):
    """Looks at the clock a thousand times a second; a gap is longer only if somebody held the process, or its core."""

    def __init__(self):
        super().__init__(daemon=True)
        self.longest = 0.0

    def run(self):
        last = time.perf_counter()
        while True:
            time.sleep(0.0005)
            now = time.perf_counter()
            self.longest = max(self.longest, now - last)
            last = now


def main():
    gc.disable()
    data = Dataset(int(sys.argv[1]) // OBJECTS_OF_A_SAMPLE)
    ballast = bytearray(int(sys.argv[2])) if len(sys.argv) > 2 else None
    for page in range(0, len(ballast or b""), 4096):
        ballast[page] = 1
    beat = Beat()
    beat.start()
    print("ready", len(data.samples) * OBJECTS_OF_A_SAMPLE, flush=True)
    for _ in sys.stdin:
        print(round(beat.longest * 1e3, 2), flush=True)
        beat.longest = 0.0


main()
