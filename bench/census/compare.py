# SPDX-License-Identifier: Apache-2.0
"""What a census costs and what it does to the process, beside what Python programmers use inside theirs.

    compare.py TIDEGAUGE [--objects 1,5,20] [--ballast-gb 8] [--limit-seconds 120]
"""
import argparse
import json
import os
import select
import subprocess
import sys
import time

HEAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heap_of.py")
ROUNDS = 5
INSIDE = {"gc": "gc.get_objects + Counter + getsizeof", "objgraph": "objgraph.most_common_types", "guppy": "guppy3 hpy().heap()", "pympler": "pympler muppy + summary"}


class Target:
    def __init__(self, objects, ballast=0):
        words = [sys.executable, HEAP, str(objects)] + ([str(ballast)] if ballast else [])
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.objects = int(self.process.stdout.readline().split()[1])

    def ask(self, word, limit_seconds=None):
        """None where there is no answer in time."""
        self.process.stdin.write(word + "\n")
        if limit_seconds and not select.select([self.process.stdout], [], [], limit_seconds)[0]:
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * 4096

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def census(tidegauge, target, *words):
    """One census: seconds, our peak memory, the pause we tell and the gap that the process felt."""
    target.ask("gap")
    begin = time.perf_counter()
    process = subprocess.Popen([tidegauge, "census", str(target.process.pid), "--json", *words], stdout=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"the census ended with {status}")
    document = json.loads(text)
    return {
        "seconds": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "bytes": usage.ru_maxrss * 1024,
        "pause_ms": document["pause_ms"],
        "gap_ms": target.ask("gap")["gap_ms"],
        "objects": document["objects"],
    }


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def row(name, runs):
    one = {key: median([run[key] for run in runs]) for key in runs[0]}
    return (
        f"| {name} | {one['seconds']:.2f} s | {one['objects'] / one['seconds'] / 1e6:.1f} M/s | {one['objects']:,} "
        f"| {one['gap_ms']:.1f} ms | {one['bytes'] / 1e6:.0f} MB | {one['bytes'] / one['objects']:.0f} |"
    )


def compare(tidegauge, millions, limit_seconds):
    with Target(int(millions * 1e6)) as target:
        print(f"\n{millions:g} M objects, {target.resident() / 1e6:.0f} MB resident\n")
        print("| | time | objects | seen | longest gap in the process | memory for it | bytes an object |")
        print("|---|---|---|---|---|---|---|")
        target.ask("gap")
        time.sleep(1)
        print(f"| nothing, for a second | | | | {target.ask('gap')['gap_ms']:.1f} ms | | |")
        print(row("`census`, with holders", [census(tidegauge, target) for _ in range(ROUNDS)]), flush=True)
        print(row("`census --stream`", [census(tidegauge, target, "--stream") for _ in range(ROUNDS)]), flush=True)
    for tool, name in INSIDE.items():
        with Target(int(millions * 1e6)) as target:
            answer = target.ask(tool, limit_seconds)
            if answer:
                print(row(name, [answer]), flush=True)
            else:
                print(f"| {name} | more than {limit_seconds} s, or it died | | | | | |", flush=True)


def ballast(tidegauge, gigabytes):
    with Target(1_000_000, int(gigabytes * 1e9)) as target:
        runs = [census(tidegauge, target) for _ in range(ROUNDS)]
        print(f"\n1 M objects beside {gigabytes:g} GB of other memory in small pages: it stood still for ", end="")
        print(f"{median([run['pause_ms'] for run in runs]):.1f} ms, and felt {median([run['gap_ms'] for run in runs]):.1f} ms")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tidegauge")
    words.add_argument("--objects", default="1,5,20", help="millions")
    words.add_argument("--ballast-gb", type=float, default=8)
    words.add_argument("--limit-seconds", type=float, default=120)
    told = words.parse_args()
    for millions in told.objects.split(","):
        compare(told.tidegauge, float(millions), told.limit_seconds)
    ballast(told.tidegauge, told.ballast_gb)


main()
