#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The watcher watched: soak.py BUILD [--minutes 10] [--processes 25] [--interval 1s]

A busy tree, whose processes grow, shrink, end and are replaced, is watched for a while. Our own RSS, descriptors and
threads are noted every ten seconds; after the first two minutes they have to stay flat, and RSS has to stay below
10 MiB all the time. Writes a Markdown table to stdout and fails where they do not.
"""
import argparse
import os
import pathlib
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from compare import cpu_ns, machine, rss_mib  # noqa: E402

EVERY_SECONDS = 10
SETTLED_SECONDS = 120  # by then processes have come and gone, and what is kept of them is there
MOST_MORE_DESCRIPTORS = 15
FEWEST_NOTES = 3  # in a half, to say something of descriptors, which go up and down with the tree
MOST_GROWTH_MIB = 0.5  # of the median; a judgement that goes on just then takes as much for a moment
MOST_RSS_MIB = 10
MIB = 1 << 20


def worker() -> None:
    """Holds between 2 and 30 MB, changes its mind ten times a second, and ends after a while."""
    held, until = [], time.monotonic() + random.uniform(5, 120)
    while time.monotonic() < until and os.getppid() != 1:
        if held and random.random() < 0.5:
            held.pop()
        elif len(held) < 15:
            held.append(bytearray(random.randrange(1, 2 * MIB)))
        time.sleep(0.1)
    os._exit(0)


def busy_tree(processes: int) -> None:
    """The job: as many workers as asked for, each replaced when it ends, until stdin is closed."""
    alive = set()
    print("ready", flush=True)
    while not select.select([0], [], [], 0)[0]:  # readable: its other end was closed
        while len(alive) < processes - 1:
            pid = os.fork()
            if pid == 0:
                random.seed()
                worker()
            alive.add(pid)
        time.sleep(0.05)
        while alive and (ended := os.waitpid(-1, os.WNOHANG)[0]):
            alive.discard(ended)


def notes_of(pid: int) -> tuple:
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return rss_mib(pid), int(status["RssAnon"].split()[0]) / 1024, len(os.listdir(f"/proc/{pid}/fd")), int(status["Threads"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--processes", type=int, default=25)
    parser.add_argument("--interval", default="1s")
    parser.add_argument("--be-busy", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.be_busy:
        busy_tree(options.processes)
        return
    command = [sys.executable, __file__, str(options.build), "--be-busy", "--processes", str(options.processes)]
    job = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    job.stdout.readline()
    print(f"# The watcher watched\n\n{machine()}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        words = ["watch", str(job.pid), "--json", "--interval", options.interval, "--record", f"{folder}/recording"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        gauge = subprocess.Popen([options.build.resolve() / "tidegauge", *words], **quiet)
        began, notes = time.monotonic(), []
        try:
            while (now := time.monotonic() - began) < 60 * options.minutes:
                time.sleep(EVERY_SECONDS)
                notes.append((now + EVERY_SECONDS, *notes_of(gauge.pid)))
            cpu = cpu_ns(gauge.pid) / 1e9 / (time.monotonic() - began)
            size = os.path.getsize(f"{folder}/recording")
        finally:
            gauge.terminate()
            gauge.wait()
            job.stdin.close()
            job.wait()
    tell(notes, cpu, size, options)


def tell(notes: list, cpu: float, size: int, options) -> None:
    print("| after | RSS | of that our own (anonymous) | descriptors | threads |\n|---:|---:|---:|---:|---:|")
    step = max(1, len(notes) // 10)
    for at, rss, anon, fds, threads in [*notes[step - 1 :: step]]:
        print(f"| {at / 60:.1f} min | {rss:.1f} MiB | {anon:.1f} MiB | {fds} | {threads} |")
    settled = [note for note in notes if note[0] >= min(SETTLED_SECONDS, notes[-1][0] / 2)]
    half = len(settled) // 2
    rss, anon, fds = ([note[i] for note in settled] for i in (1, 2, 3))
    growth = statistics.median(anon[half:]) - statistics.median(anon[:half])
    print(f"\n{options.processes} processes that come and go, looked at every {options.interval}, {notes[-1][0] / 60:.1f} min: "
          f"{100 * cpu:.2g} % of one core, recording {size / 1e6:.2f} MB. Since {settled[0][0] / 60:.1f} min: RSS {min(rss):.1f} to {max(rss):.1f} MiB, "
          f"of that our own {min(anon):.1f} to {max(anon):.1f} MiB, in the second half {growth:+.2f} MiB against the first (medians); "
          f"descriptors {min(fds)} to {max(fds)}, threads {settled[-1][4]}.")
    if growth > MOST_GROWTH_MIB:
        raise SystemExit(f"our own memory grew by {growth:.2f} MiB")
    if options.processes <= 25 and (most := max(note[1] for note in notes)) > MOST_RSS_MIB:
        raise SystemExit(f"our own RSS was {most:.1f} MiB")
    # Some for each member are kept, once they were needed: how many goes up and down with who has just come, and only the most of it tells.
    # One that is left behind by each that ends would be a dozen more in half a minute.
    before, after = max(note[3] for note in notes if note[0] < settled[half][0]), max(fds[half:])
    if half >= FEWEST_NOTES and after > before + MOST_MORE_DESCRIPTORS:
        raise SystemExit(f"descriptors went from {before} to {after}, at most")


if __name__ == "__main__":
    main()
