# SPDX-License-Identifier: Apache-2.0
"""A heap of about that many objects, of which a third is known to the collector, and a clock that feels every stop.

    heap_of.py OBJECTS [BALLAST_BYTES PIECE_BYTES THREADS]

The ballast, memory that holds no objects, lies in pieces of that size; the threads wait. Says "ready OBJECTS". Each line on stdin is answered by one of JSON: "gap" by the longest gap of its clock in ms since the
last line; the name of a tool by how long that took here, inside, the gap it made, and what it added to the process.
"""
import collections
import gc
import json
import resource
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

    def take(self):
        time.sleep(0.01)  # so that the clock has felt what was just done
        longest, self.longest = self.longest, 0.0
        return round(longest * 1e3, 2)


def by_collector():
    counts, sizes = collections.Counter(), collections.Counter()
    for one in gc.get_objects():
        name = type(one).__name__
        counts[name] += 1
        sizes[name] += sys.getsizeof(one)
    return sum(counts.values())


def by_objgraph():
    import objgraph

    return sum(count for _, count in objgraph.most_common_types(limit=1_000_000))


def by_guppy():
    from guppy import hpy

    return hpy().heap().count


def by_pympler():
    from pympler import muppy, summary

    return sum(row[1] for row in summary.summarize(muppy.get_objects()))


TOOLS = {"gc": by_collector, "objgraph": by_objgraph, "guppy": by_guppy, "pympler": by_pympler}


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run_inside(tool, beat):
    before = peak_bytes()
    begin = time.perf_counter()
    objects = tool()
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "objects": objects, "gap_ms": beat.take(), "bytes": peak_bytes() - before}


def filled(size):
    """With every page in use."""
    memory = bytearray(size)
    for page in range(0, size, 4096):
        memory[page] = 1
    return memory


def main():
    gc.disable()
    data = Dataset(int(sys.argv[1]) // OBJECTS_OF_A_SAMPLE)
    gc.enable()
    ballast, piece, threads = map(int, (sys.argv[2:] + ["0"] * 3)[:3])
    pieces = [filled(piece) for _ in range(ballast // piece if piece else 0)]
    for _ in range(threads):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    beat = Beat()
    beat.start()
    print("ready", len(data.samples) * OBJECTS_OF_A_SAMPLE, flush=True)
    for line in sys.stdin:  # meanwhile `pieces` are held
        word = line.strip()
        answer = {"gap_ms": beat.take()} if word == "gap" else run_inside(TOOLS[word], beat)
        print(json.dumps(answer), flush=True)


main()
