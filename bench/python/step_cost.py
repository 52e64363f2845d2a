#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What our hooks cost a training step: step_cost.py TIDEGAUGE [--rounds 12]

Each job runs in rounds, once as it is and once with the hooks, in turns, in processes of their own. Each process gives the median time of
a step; a round gives the difference of its two; the table has the median over the rounds and the interval in which the
middle half of them lies. Run it with the environment of tools/requirements/frameworks.txt. Writes a Markdown table to stdout.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
JOBS = (
    ("loop", "SGD on 8 numbers, no loader"),
    ("loader", "AdamW on two layers, DataLoader, batch 8"),
    ("trainer", "HF Trainer, batch 2, accumulation 2"),
)


def step_us(gauge, hooks, job):
    """The median step, in microseconds, of one process; sampled in both cases, so that only the hooks make a difference."""
    words = [gauge, "run", "-q", "--no-record", *([] if hooks else ["--no-hooks"]), "--", sys.executable, HERE / "step_jobs.py", job]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return float(done.stdout.split()[-1])


def quarters(values):
    return statistics.quantiles(values, n=4) if len(values) > 1 else values * 3  # of one round, that one


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gauge", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    print("| job | a step without, µs | with hooks | middle half of the rounds |")
    print("|---|---|---|---|")
    for job, words in JOBS:
        without, more = [], []
        for number in range(options.rounds):
            # Who comes first takes turns too.
            first, second = (step_us(options.gauge.resolve(), bool((number + i) % 2), job) for i in (0, 1))
            off, on = (first, second) if number % 2 == 0 else (second, first)
            without.append(off)
            more.append(on - off)
        low, middle, high = quarters(more)
        print(f"| {words} | {statistics.median(without):.1f} | {middle:+.1f} µs | {low:+.1f} to {high:+.1f} µs |", flush=True)


if __name__ == "__main__":
    main()
