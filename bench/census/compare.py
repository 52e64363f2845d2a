# SPDX-License-Identifier: Apache-2.0
"""What a census costs and what it does to the process, beside what Python programmers use inside theirs.

    compare.py TIDEGAUGE [--objects 1,5,20] [--rounds 7] [--ballast-gb 8] [--limit-seconds 120] [--alone]

A gap is the longest time in which a thread of the process that looks at its clock two thousand times a second did not come to do
so. A second process, which nobody watches, does the same all the while: what it feels is the machine's doing, not a stop.
"""
import argparse
import fcntl
import json
import os
import select
import subprocess
import sys
import time

HEAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heap_of.py")
INSIDE = {"gc": "gc.get_objects + Counter + getsizeof", "objgraph": "objgraph.most_common_types", "guppy": "guppy3 hpy().heap()", "pympler": "pympler muppy + summary"}
PAUSE_GOALS_MS = {1: 3, 5: 10, 20: 25}
SECONDS_GOALS = {1: 0.3, 5: 1.5, 20: 5}
BYTES_GOAL = 100
MiB = 1 << 20


class Target:
    def __init__(self, objects, ballast=0, piece=0, threads=0):
        words = [sys.executable, HEAP, *map(str, (objects, int(ballast), int(piece), threads))]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.objects = int(self.process.stdout.readline().split()[1])

    def ask(self, word, limit_seconds=None):
        """None where there is no answer in time."""
        self.process.stdin.write(word + "\n")
        if limit_seconds and not select.select([self.process.stdout], [], [], limit_seconds)[0]:
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def gap_ms(self):
        """Since the last time."""
        return self.ask("gap")["gap_ms"]

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * 4096

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def own_peak(pid, otherwise):
    """Of this program alone: what wait4() tells begins with the peak of the Python that has started it."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return otherwise


def census(tidegauge, target, witness, *words):
    """One census: seconds, our peak memory, the pause we tell, the gap that the process felt and the one that another felt meanwhile."""
    target.gap_ms(), witness.gap_ms()
    begin = time.perf_counter()
    process = subprocess.Popen([tidegauge, "census", str(target.process.pid), "--json", *words], stdout=subprocess.PIPE)
    # It has done everything when it begins to write, and waits until this much has been read.
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    text = os.read(process.stdout.fileno(), 1)
    peak = own_peak(process.pid, 0)
    text += process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"the census ended with {status}")
    document = json.loads(text)
    return {
        "seconds": seconds,
        "bytes": peak or usage.ru_maxrss * 1024,
        "pause_ms": document["pause_ms"],
        "gap_ms": target.gap_ms(),
        "unwatched_ms": witness.gap_ms(),
        "objects": document["objects"],
    }


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def middle_and_lowest(values):
    return f"{median(values):.1f} ({min(values):.1f})" if len(values) > 1 else f"{values[0]:.1f}"


def row(name, runs):
    one = {key: median([run[key] for run in runs]) for key in runs[0]}

    def ms(key):
        return middle_and_lowest([run[key] for run in runs]) if key in one else ""

    return (
        f"| {name} | {one['seconds']:.2f} s | {one['objects'] / one['seconds'] / 1e6:.1f} M/s | {one['objects']:,} "
        f"| {ms('pause_ms')} | {ms('gap_ms')} | {ms('unwatched_ms')} | {one['bytes'] / 1e6:.0f} MB | {one['bytes'] / one['objects']:.0f} |"
    )


def told_goals(millions, runs):
    """Each goal, and what was measured: the middle and the best."""
    for goal, key, unit in ((PAUSE_GOALS_MS.get(millions), "pause_ms", "ms of pause"), (SECONDS_GOALS.get(millions), "seconds", "s in all")):
        if goal is None:
            continue
        values = [run[key] for run in runs]
        word = "kept" if median(values) <= goal else "kept at best" if min(values) <= goal else "missed"
        yield f"at most {goal} {unit}: {median(values):.2f}, at best {min(values):.2f}: {word}"
    each = median([run["bytes"] / run["objects"] for run in runs])
    yield f"at most {BYTES_GOAL} bytes an object: {each:.0f}: {'kept' if each <= BYTES_GOAL else 'missed'}"


def compare(told, millions, witness):
    with Target(int(millions * 1e6)) as target:
        print(f"\n{millions:g} M objects, {target.resident() / 1e6:.0f} MB resident; ms: the middle of {told.rounds} (and the lowest)\n")
        print("| | time | objects | seen | pause as told, ms | longest gap in the process, ms | in one that nobody watches, ms | memory for it | bytes an object |")
        print("|---|---|---|---|---|---|---|---|---|")
        target.gap_ms(), witness.gap_ms()
        time.sleep(1)
        print(f"| nothing, for a second | | | | | {target.gap_ms():.1f} | {witness.gap_ms():.1f} | | |")
        with_holders = [census(told.tidegauge, target, witness) for _ in range(told.rounds)]
        print(row("`census`, with holders", with_holders), flush=True)
        print(row("`census --stream`", [census(told.tidegauge, target, witness, "--stream") for _ in range(told.rounds)]), flush=True)
    for tool, name in () if told.alone else INSIDE.items():
        with Target(int(millions * 1e6)) as target:
            answer = target.ask(tool, told.limit_seconds)
            if answer:
                print(row(name, [answer]), flush=True)
            else:
                print(f"| {name} | more than {told.limit_seconds} s, or it died | | | | | | | |", flush=True)
    print("\n" + "\n".join(f"- {line}" for line in told_goals(millions, with_holders)), flush=True)


def beside_other_memory(told, witness):
    """What else a process has must not matter: memory that is not Python's, threads."""
    gigabytes = told.ballast_gb * 1e9
    cases = {
        f"{gigabytes / 1e9:g} GB in one piece": (gigabytes, gigabytes, 0),
        f"{gigabytes / 4e9:g} GB in pieces of 8 MiB": (gigabytes / 4, 8 * MiB, 0),
        f"{gigabytes / 4e9:g} GB in pieces of 1 MiB": (gigabytes / 4, MiB, 0),
        "200 threads": (0, 0, 200),
    }
    print("\n1 M objects beside\n")
    print("| | pause as told, ms | longest gap in the process, ms | in one that nobody watches, ms |")
    print("|---|---|---|---|")
    for name, case in cases.items():
        with Target(1_000_000, *case) as target:
            runs = [census(told.tidegauge, target, witness) for _ in range(told.rounds)]
            columns = [middle_and_lowest([run[key] for run in runs]) for key in ("pause_ms", "gap_ms", "unwatched_ms")]
            print(f"| {name} | {' | '.join(columns)} |", flush=True)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tidegauge")
    words.add_argument("--objects", default="1,5,20", help="millions")
    words.add_argument("--rounds", type=int, default=7)
    words.add_argument("--ballast-gb", type=float, default=8)
    words.add_argument("--limit-seconds", type=float, default=120)
    words.add_argument("--alone", action="store_true", help="not beside others")
    told = words.parse_args()
    with Target(1000) as witness:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}, Linux {os.uname().release}")
        for millions in told.objects.split(","):
            compare(told, float(millions), witness)
        if told.ballast_gb:
            beside_other_memory(told, witness)


main()
