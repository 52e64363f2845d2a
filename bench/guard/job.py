# SPDX-License-Identifier: Apache-2.0
"""A job for bench/guard: job.py KIND FOLDER --limit MIB --steps N --seed S. Its work is a chain of hashes, so that a life that went on
from a checkpoint can be told from one that lost or repeated a step; each step that was done is a line of FOLDER/steps."""
import argparse
import ctypes
import hashlib
import json
import math
import mmap
import os
import pathlib
import random
import re
import resource
import sys
import time

MIB = 1 << 20
parser = argparse.ArgumentParser()
parser.add_argument("kind")
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--limit", type=int, required=True)
parser.add_argument("--steps", type=int, required=True)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--every", type=int, default=100, help="steps between the job's own checkpoints")
options = parser.parse_args()
chance = random.Random(options.seed)
limit = options.limit * MIB


def fill(count, huge=False):
    """Memory that is there, by mmap: no allocator keeps it when it is dropped."""
    block = mmap.mmap(-1, max(int(count), 4096), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if huge:
        block.madvise(14)  # MADV_HUGEPAGE
    ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(block)), 1, len(block))
    return block


def own():
    """What this process is charged for now."""
    status = pathlib.Path("/proc/self/status").read_text()
    return sum(int(re.search(rf"^{name}:\s+(\d+)", status, re.M)[1]) << 10 for name in ("RssAnon", "VmPTE"))


class Job:
    """One step after another; `leak` in MiB a step."""

    leak = 1.0
    pace = 0.01

    def begin(self):
        pass

    def step(self, n):
        pass

    def end(self):
        pass


class Slow(Job):
    leak = 0.5


class Fast(Job):
    leak = 4.0


class Spiky(Job):
    def step(self, n):
        if n % 5 == 0:
            fill(limit * 0.15)


class Cache(Job):
    """A file twice as large as the limit is read again and again: the group is full of page cache."""

    def begin(self):
        self.path = options.folder / "data"
        with open(self.path, "wb") as file:
            for _ in range(2 * options.limit):
                file.write(bytes(MIB))
        self.file = open(self.path, "rb")

    def step(self, n):
        if len(self.file.read(8 * MIB)) < 8 * MIB:
            self.file.seek(0)

    def end(self):
        self.path.unlink()


class Tmpfs(Job):
    """What piles up are pages of a file in memory."""

    leak = 0.0

    def begin(self):
        self.fd = os.memfd_create("pile")

    def step(self, n):
        os.write(self.fd, bytes(MIB))


class Many(Job):
    """Four workers, each of which leaks."""

    leak = 0.0

    def begin(self):
        self.workers = []
        for _ in range(4):
            read, write = os.pipe()
            if os.fork() == 0:
                os.close(write)
                held = []
                while os.read(read, 1):
                    held.append(fill(MIB // 3))
                os._exit(0)
            os.close(read)
            self.workers.append(write)

    def step(self, n):
        for worker in self.workers:
            os.write(worker, b"x")


class Forks(Job):
    """Children that write what they inherited: copies on write."""

    def begin(self):
        self.base = fill(limit * 0.3)

    def step(self, n):
        if n % 25 == 0:
            pid = os.fork()
            if pid == 0:
                ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(self.base)), 2, len(self.base))
                os._exit(0)
            os.waitpid(pid, 0)


class Loader(Job):
    """A DataLoader of torch whose two workers leak."""

    leak = 0.0

    def begin(self):
        import torch.utils.data

        class Data(torch.utils.data.IterableDataset):
            def __iter__(self):
                held = []
                while True:
                    held.append(fill(2 * MIB))
                    yield len(held)

        self.batches = iter(torch.utils.data.DataLoader(Data(), batch_size=1, num_workers=2))

    def step(self, n):
        next(self.batches)


class Huge(Job):
    """Huge pages, as fast as they can be written."""

    leak = 0.0

    def begin(self):
        self.held = []

    def step(self, n):
        self.held.append(fill(2 * MIB, huge=True))


class Disk(Job):
    def step(self, n):
        with open(options.folder / "log", "ab") as file:
            file.write(bytes(64 << 10))
            os.fsync(file.fileno())


class Healthy(Job):
    leak = 0.0

    def level(self, n, level):
        """As much as `level` of what there is place for, all together."""
        return max(level * limit - own() - MIB, 0)


class Peaks(Healthy):
    def step(self, n):
        if n % 10 == 0:
            fill(self.level(n, 0.95))


class LongPeaks(Healthy):
    """Half of the time at 95 %."""

    held = None

    def step(self, n):
        if n % 50 == 0:
            self.held = None
            if n % 100 == 0:
                self.held = fill(self.level(n, 0.95))


class WarmUp(Healthy):
    def begin(self):
        self.held = []

    def step(self, n):
        now = 0.9 * (1 - math.exp(-n / (options.steps / 4)))
        if (missing := self.level(n, now)) > MIB / 4:
            self.held.append(fill(missing))


class Ramp(Healthy):
    """In a straight line to 90 %, and no further."""

    def begin(self):
        self.held = []

    def step(self, n):
        now = 0.9 * min(n / (options.steps / 2), 1)
        if (missing := self.level(n, now)) > MIB / 4:
            self.held.append(fill(missing))


class Saw(Healthy):
    held = ()

    def step(self, n):
        self.held = [] if n % 60 == 0 else [*self.held, fill(max(self.level(n, 0.95), 0) / max(60 - n % 60, 1))]


class FullCache(Cache):
    leak = 0.0

    def begin(self):
        super().begin()
        self.held = fill(limit * 0.5)


class ForkPeaks(Healthy):
    def begin(self):
        self.base = fill(limit * 0.4)

    def step(self, n):
        if n % 10 == 0:
            pid = os.fork()
            if pid == 0:
                ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(self.base)), 2, len(self.base))
                os._exit(0)
            os.waitpid(pid, 0)


KINDS = {kind.__name__.lower(): kind for kind in (Slow, Fast, Spiky, Cache, Tmpfs, Many, Loader, Forks, Huge, Disk, Peaks, LongPeaks, WarmUp, Ramp,
                                                  Saw, FullCache, ForkPeaks)}  # fmt: skip


def save(n, state):
    path = options.folder / f"state-{n}.json"
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps({"step": n, "state": state}))
    temporary.rename(path)
    return path


def main():
    try:
        import tidegauge
    except ImportError:
        tidegauge = None
    first, state = 0, ""
    resume = os.environ.get("TIDEGAUGE_RESUME")
    if resume:
        saved = json.loads(pathlib.Path(resume).read_text())
        first, state = saved["step"], saved["state"]
    job = KINDS[options.kind]()
    job.leak *= chance.uniform(0.5, 1.5)
    job.pace *= chance.uniform(0.5, 1.5)
    job.begin()
    began = time.monotonic()
    if tidegauge:
        tidegauge.checkpoint_requested()
    pile, owed = [], 0.0
    with open(options.folder / "steps", "a") as done:
        for n in range(first + 1, options.steps + 1):
            owed += job.leak * MIB
            if owed >= MIB / 4:
                pile.append(fill(owed))
                owed = 0.0
            job.step(n)
            time.sleep(job.pace)
            state = hashlib.sha256(f"{state}{n}".encode()).hexdigest()
            done.write(f"{n}\n")
            done.flush()
            request = tidegauge.checkpoint_requested() if tidegauge else None
            if request:
                request.saved(save(n, state), step=n)
                if request.stop:
                    return
            elif n % options.every == 0:
                save(n, state)
    job.end()
    (options.folder / "result").write_text(state)
    used = resource.getrusage(resource.RUSAGE_SELF)
    (options.folder / "cost").write_text(f"{time.monotonic() - began} {used.ru_utime + used.ru_stime}")


sys.exit(main())
