#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What being watched does to a process: stall.py BUILD [--resident 12GB] [--seconds 2] [--fours 12] [--only WORD] [--quick]

A process with much memory maps, touches and unmaps 256 KB over and over (bench_stall) while we, or psutil, watch it.
The watcher is stopped and let go again (SIGSTOP, SIGCONT) for blocks of two seconds: watched, not, not, watched. Each
such four gives one ratio of the p99 watched to the p99 not watched, from which what else the machine does is gone as
far as it changes slowly; of all fours, the middle ratio and an interval that holds the true one with 95 %, whatever
the ratios' distribution is. Writes a Markdown table to stdout.
"""
import argparse
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from compare import machine  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SETTLE_SECONDS = 3  # for a watcher to have had its first, full look
SURE = 0.95


class Target:
    def __init__(self, build: pathlib.Path, resident: str):
        command = [build / "bench_stall", "--resident", resident, "--mappings", "200"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        words = self.process.stdout.readline().split()
        if len(words) != 2 or words[0] != "ready":
            raise SystemExit("bench_stall did not get ready: is there enough memory?")
        self.pid = words[1]

    def measure(self, seconds: float) -> dict:
        self.process.stdin.write(f"measure {seconds}\n")
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def watchers(build: pathlib.Path, pid: str, folder: str) -> dict:
    ours = [build / "tidegauge", "watch", pid, "--json", "--record", f"{folder}/recording"]
    ordinary = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"] if os.geteuid() == 0 else []
    psutil = [sys.executable, HERE / "psutil_loop.py", pid]
    return {
        "tidegauge, 1 Hz": [*ours, "--interval", "1s"],
        "tidegauge, 10 Hz": [*ours, "--interval", "100ms"],
        "tidegauge, 10 Hz, as an ordinary user": [*ordinary, *ours, "--interval", "100ms"],
        "psutil memory_info, 1 Hz": [*psutil, "info", "1"],
        "psutil memory_full_info, 1 Hz": [*psutil, "full", "1"],
    }


@contextlib.contextmanager
def watched_by(command: list):
    """A function that lets the watcher look (true), or stops it until it is let go again."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process, looks = subprocess.Popen([str(word) for word in command], **quiet), True

    def may_look(may: bool) -> None:
        nonlocal looks
        if process.poll() is not None:
            raise SystemExit(f"{command[0]} ended early with {process.returncode}")
        if may == looks:
            return
        looks = may
        process.send_signal(signal.SIGCONT if may else signal.SIGSTOP)
        os.waitpid(process.pid, os.WCONTINUED if may else os.WUNTRACED)  # it has

    try:
        time.sleep(SETTLE_SECONDS)
        yield may_look
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait()


@dataclasses.dataclass
class Four:
    watched: list
    alone: list

    def ratio(self) -> float:
        """Of the p99s."""
        logarithm = [sum(math.log(block["wall"]["p99"]) for block in blocks) for blocks in (self.watched, self.alone)]
        return math.exp((logarithm[0] - logarithm[1]) / 2)


def measure_four(target: Target, may_look, seconds: float) -> Four:
    four = Four([], [])
    for may in (True, False, False, True):
        may_look(may)
        (four.watched if may else four.alone).append(target.measure(seconds))
    return four


def interval_of_median(values: list) -> tuple:
    """By order: how many of so many lie below the true median is a matter of tossing coins. The whole range where they are few."""
    count, low, ordered = len(values), 0, sorted(values)
    below = 0.5**count  # the chance that at most `low` lie below
    while True:
        below += math.comb(count, low + 1) * 0.5**count
        if below > (1 - SURE) / 2:
            return ordered[low], ordered[count - 1 - low]
        low += 1


def percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f}"


def row(name: str, blocks: list, against: str) -> str:
    def median(key):
        return statistics.median(block["wall"][key] for block in blocks)

    longest = max(block["blocked"]["max"] for block in blocks) / 1000
    over = sum(block["blocked"]["over_5ms"] for block in blocks)
    return f"| {name} | {median('p50'):.0f} µs | {median('p99'):.0f} µs | {against} | {longest:.1f} ms | {over} |"


def table(results: dict) -> str:
    lines = ["| watched by | a round, p50 | p99 | p99 against nobody | longest wait for a lock | waits over 5 ms |",
             "|---|---:|---:|---:|---:|---:|",
             row("nobody", [block for fours in results.values() for four in fours for block in four.alone], "")]
    for name, fours in results.items():
        ratios = [four.ratio() for four in fours]
        low, high = interval_of_median(ratios)
        against = f"{percent(statistics.median(ratios))} % ({percent(low)} to {percent(high)})"
        lines.append(row(name, [block for four in fours for block in four.watched], against))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--resident", default="12GB")
    parser.add_argument("--seconds", type=float, default=2, help="of a block")
    parser.add_argument("--fours", type=int, default=12, help="of blocks, for the first watcher; a third for each other")
    parser.add_argument("--only", default="", metavar="WORD", help="watchers whose name has this word")
    parser.add_argument("--quick", action="store_true", help="two fours of 1 s blocks, with 4 GB")
    options = parser.parse_args()
    if options.quick:
        options.resident, options.seconds, options.fours = "4GB", 1, 2
    print(f"# What being watched does\n\n{machine()}\n", flush=True)
    target = Target(options.build.resolve(), options.resident)
    results = {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, command in watchers(options.build.resolve(), target.pid, folder).items():
                if options.only not in name:
                    continue
                fours = options.fours if not results else max(2, options.fours // 3)
                with watched_by(command) as may_look:
                    results[name] = [measure_four(target, may_look, options.seconds) for _ in range(fours)]
    finally:
        target.end()
    print(f"A process with {options.resident} resident maps, touches and unmaps 256 KB over and over; {options.fours} times four blocks "
          f"of {options.seconds:g} s for the first watcher, a third as many for each other. In brackets: where the median of the ratios lies with {100 * SURE:g} %.\n")
    print(table(results))


if __name__ == "__main__":
    main()
