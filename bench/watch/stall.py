#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What being watched does to a process: stall.py BUILD [--resident 12GB] [--seconds 10] [--blocks 3] [--quick]

A process with much memory maps, touches and unmaps 256 KB over and over (bench_stall) while nobody, we, or
psutil watch it, in turns, so that what else the machine does falls on all alike. Writes a Markdown table to stdout.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SETTLE_SECONDS = 2  # for a watcher to have had its first, full look


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
        "nobody": None,
        "tidegauge, 1 Hz": [*ours, "--interval", "1s"],
        "tidegauge, 10 Hz": [*ours, "--interval", "100ms"],
        "tidegauge, 10 Hz, as an ordinary user": [*ordinary, *ours, "--interval", "100ms"],
        "psutil memory_info, 1 Hz": [*psutil, "info", "1"],
        "psutil memory_full_info, 1 Hz": [*psutil, "full", "1"],
    }


@contextlib.contextmanager
def watched_by(command):
    if command is None:
        yield
        return
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([str(word) for word in command], **quiet)
    try:
        time.sleep(SETTLE_SECONDS)
        yield
        if process.poll() is not None:
            raise SystemExit(f"{command[0]} ended early with {process.returncode}")
    finally:
        process.terminate()
        process.wait()


def row(name: str, blocks: list, nobody: list) -> str:
    def median(runs, part, key):
        return statistics.median(run[part][key] for run in runs)

    p99 = median(blocks, "wall", "p99")
    change = 100 * (p99 / median(nobody, "wall", "p99") - 1)
    longest = max(run["blocked"]["max"] for run in blocks) / 1000
    over = sum(run["blocked"]["over_5ms"] for run in blocks)
    return f"| {name} | {median(blocks, 'wall', 'p50'):.0f} µs | {p99:.0f} µs | {change:+.1f} % | {longest:.1f} ms | {over} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--resident", default="12GB")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one block of 5 s, with 4 GB")
    options = parser.parse_args()
    if options.quick:
        options.resident, options.seconds, options.blocks = "4GB", 5, 1
    target = Target(options.build.resolve(), options.resident)
    try:
        with tempfile.TemporaryDirectory() as folder:
            commands = watchers(options.build.resolve(), target.pid, folder)
            results = {name: [] for name in commands}
            for _ in range(options.blocks):
                for name, command in commands.items():
                    with watched_by(command):
                        results[name].append(target.measure(options.seconds))
    finally:
        target.end()
    print(f"# What being watched does\n\nA process with {options.resident} resident maps, touches and unmaps 256 KB over and over.\n")
    print("| watched by | a round, p50 | p99 | p99 against nobody | longest wait for a lock | waits over 5 ms |")
    print("|---|---:|---:|---:|---:|---:|")
    print("\n".join(row(name, blocks, results["nobody"]) for name, blocks in results.items()))


if __name__ == "__main__":
    main()
