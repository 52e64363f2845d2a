#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to watch a process tree, for us and for others, in the same run: compare.py BUILD [--seconds 20] [--quick]

Watches a tree of 25 processes with 10 GB resident (bench_tree), with one tool after the other, in rounds, so that
what else the machine does falls on all alike; the middle one of the rounds counts. CPU time is the kernel's own
account in nanoseconds (schedstat) over a stretch of steady watching, or the whole of a call where a tool has to be
called again for each sample. Writes a Markdown table to stdout.
"""
from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TREE = ("4GB", "24", "250MB")  # 10 GB in 25 processes
ROUNDS = 2
CALLS = 5  # in a round, for tools that are called for each sample
WARM_UP_SECONDS = 8
OTHERS_WARM_UP_SECONDS = 3  # each of their samples is like the first


@dataclasses.dataclass
class Cost:
    tool: str
    reads: str
    cpu_ms: float  # per sample
    rss_mib: float | None  # none where nothing stays between two samples


@contextlib.contextmanager
def tree(build: pathlib.Path, *shape: str):
    """The pid of a tree that has touched all of its pages."""
    process = subprocess.Popen([build / "bench_tree", *shape], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        words = process.stdout.readline().split()
        if len(words) != 2 or words[0] != "ready":
            raise SystemExit(f"bench_tree {' '.join(shape)} did not get ready: is there enough memory?")
        yield int(words[1])
    finally:
        process.stdin.close()
        process.wait()


def cpu_ns(pid: int) -> int:
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def rss_mib(pid: int) -> float:
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def of_a_watcher(tool: str, reads: str, command: list, interval: float, seconds: float,
                 warm_up_seconds: float = OTHERS_WARM_UP_SECONDS) -> Cost:
    """A program that stays and looks every `interval`."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(warm_up_seconds)
        before, began = cpu_ns(process.pid), time.monotonic()
        time.sleep(seconds)
        spent, took = cpu_ns(process.pid) - before, time.monotonic() - began
        return Cost(tool, reads, spent / 1e6 / (took / interval), rss_mib(process.pid))
    finally:
        process.terminate()
        process.wait()


def of_calls(tool: str, reads: str, command: list) -> Cost:
    """A program that has to be started for each sample."""
    spent = 0.0
    for _ in range(CALLS):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command[0]} failed with {process.returncode}")
        spent += usage.ru_utime + usage.ru_stime
    return Cost(tool, reads, spent * 1e3 / CALLS, None)


def of_ourselves(binary: pathlib.Path, pid: int, interval: float, seconds: float) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "watch", str(pid), "--json", "--interval", f"{interval}s", "--record", f"{folder}/recording"]
        reads = "all kinds, roles, JSON, recording, verdict"
        return of_a_watcher(f"tidegauge, {1 / interval:g} Hz", reads, command, interval, seconds, WARM_UP_SECONDS)


def pids_of(root: int) -> list:
    """bench_tree has one generation of children."""
    task = pathlib.Path(f"/proc/{root}/task/{root}/children")
    return [str(root), *task.read_text().split()]


def of_others(pid: int, seconds: float) -> list:
    loop = [sys.executable, str(HERE / "psutil_loop.py"), str(pid)]
    costs = [
        of_a_watcher("psutil memory_info", "RSS", [*loop, "info", "1"], 1, seconds),
        of_a_watcher("psutil memory_full_info", "USS, PSS, RSS", [*loop, "full", "1"], 1, seconds),
        of_calls("ps", "RSS", ["ps", "-o", "pid,rss,vsz,comm", "-p", ",".join(pids_of(pid))]),
    ]
    if shutil.which("smem"):
        costs.append(of_calls("smem", "USS, PSS, RSS", ["smem", "-H", "-P", "bench_tree", "-c", "pid uss pss rss"]))
    if shutil.which("atop"):
        costs.append(of_a_watcher("atop", "RSS of the whole machine", ["atop", "-P", "PRM", "1"], 1, seconds))
        costs.append(of_a_watcher("atop -R", "with PSS", ["atop", "-R", "-P", "PRM", "1"], 1, seconds))
    return costs


def one_round(build: pathlib.Path, pid: int, seconds: float) -> list:
    binary = build / "tidegauge"
    ours = [of_ourselves(binary, pid, 1, seconds), of_ourselves(binary, pid, 0.1, seconds)]
    return [*ours, *of_others(pid, seconds / 2)]


def middle(rounds: list) -> list:
    """Of each tool, the middle cost and the largest RSS."""
    costs = []
    for same in zip(*rounds):
        rss = [cost.rss_mib for cost in same if cost.rss_mib is not None]
        cpu_ms = statistics.median(cost.cpu_ms for cost in same)
        costs.append(dataclasses.replace(same[0], cpu_ms=cpu_ms, rss_mib=max(rss, default=None)))
    return costs


def table(costs: list) -> str:
    at_1_hz, at_10_hz = costs[0].cpu_ms, costs[1].cpu_ms
    lines = ["| watched with | what it tells | CPU per sample | of one core at its rate | own RSS | times ours at 1 Hz | at 10 Hz |",
             "|---|---|---:|---:|---:|---:|---:|"]
    for cost in costs:
        rate = 10 if "10 Hz" in cost.tool else 1
        rss = "–" if cost.rss_mib is None else f"{cost.rss_mib:.1f} MiB"
        lines.append(f"| {cost.tool} | {cost.reads} | {cost.cpu_ms:.3g} ms | {cost.cpu_ms * rate / 10:.2g} % "
                     f"| {rss} | {cost.cpu_ms / at_1_hz:,.3g} | {cost.cpu_ms / at_10_hz:,.3g} |")
    return "\n".join(lines)


def machine() -> str:
    model = next((line.partition(": ")[2] for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    load = " ".join(f"{load:.1f}" for load in os.getloadavg())
    return (f"{os.cpu_count()} × {model.strip()}, Linux {platform.release()}, {time.strftime('%Y-%m-%d')}; "
            f"what else it did (load average before): {load}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=20, help="steady watching, for each tool and round")
    parser.add_argument("--quick", action="store_true", help="one round of 10 s")
    options = parser.parse_args()
    build, seconds = options.build.resolve(), 10 if options.quick else options.seconds
    print(f"# What watching costs\n\n{machine()}\n\nA tree of 25 processes, 10 GB resident in all.\n", flush=True)
    with tree(build, *TREE) as pid:
        rounds = [one_round(build, pid, seconds) for _ in range(1 if options.quick else ROUNDS)]
    print(table(middle(rounds)) + "\n", flush=True)


if __name__ == "__main__":
    main()
