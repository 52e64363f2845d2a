# SPDX-License-Identifier: Apache-2.0
"""A thousand censuses of a process that does many things at once and checks them all.

    endurance.py TIDEGAUGE [--times 1000] [--kill]

With --kill each census is killed at a random moment instead.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

BUSY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "busy.py")


def state_of(pid):
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    return fields["State"][0], int(fields["TracerPid"])


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as children:
            found += children.read().split()
    return found


def one_census(tidegauge, pid, stream):
    words = [tidegauge, "census", str(pid), "--json"] + (["--stream"] if stream else [])
    return subprocess.run(words, capture_output=True, text=True)


def killed_census(tidegauge, pid, within_seconds):
    process = subprocess.Popen([tidegauge, "census", str(pid), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.random() * within_seconds)
    process.kill()
    return process.wait() != 0


def wait_until_alone(pid):
    """The hand lets go by itself; how long that took."""
    begin = time.monotonic()
    while state_of(pid)[1] != 0 or state_of(pid)[0] in "tT":
        if time.monotonic() - begin > 10:
            sys.exit("the process is still held ten seconds after the census was killed")
        time.sleep(0.001)
    return time.monotonic() - begin


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tidegauge")
    words.add_argument("--times", type=int, default=1000)
    words.add_argument("--kill", action="store_true")
    told = words.parse_args()
    busy = subprocess.Popen([sys.executable, "-W", "ignore", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    busy.stdout.readline()
    nice = os.getpriority(os.PRIO_PROCESS, busy.pid)
    refused, pauses, killed, longest_held = [], [], 0, 0.0
    begin = time.monotonic()
    usual = time.monotonic()
    one_census(told.tidegauge, busy.pid, False)
    usual = time.monotonic() - usual
    for turn in range(told.times):
        if told.kill:
            killed += killed_census(told.tidegauge, busy.pid, usual)
            longest_held = max(longest_held, wait_until_alone(busy.pid))
            continue
        taken = one_census(told.tidegauge, busy.pid, stream=turn % 4 == 3)
        if taken.returncode != 0:
            refused.append(taken.stderr.strip())
            continue
        document = json.loads(taken.stdout)
        if document["mode"] == "snapshot":
            pauses.append(document["pause_ms"])
        samples = next(one["count"] for one in document["types"] if one["type"] == "__main__.Sample")
        # Beside them are at most those that two threads were just making; an unstopped count of so small a heap is rougher.
        if abs(samples - 20_000) > (600 if document["mode"] == "streaming" else 4):
            refused.append(f"{samples} samples instead of 20,000")
    seconds = time.monotonic() - begin
    if os.getpriority(os.PRIO_PROCESS, busy.pid) != nice:
        refused.append("the process has another priority than before")
    busy.stdin.close()
    answer = json.loads(busy.stdout.readline())
    code = busy.wait()
    work = ", ".join(f"{count:,} {name}" for name, count in answer["done"].items())
    print(f"{told.times:,} censuses in {seconds:.0f} s, {len(refused)} refused or wrong {sorted(set(refused))[:5]}")
    if told.kill:
        print(f"{killed:,} of them killed before their end; the process was let go at most {longest_held * 1e3:.0f} ms later")
    elif pauses:
        pauses.sort()
        print(f"pause: median {pauses[len(pauses) // 2]:.1f} ms, longest {pauses[-1]:.1f} ms")
    print(f"the process did {work} meanwhile; errors: {answer['errors'] or 'none'}; it ended with {code}")
    sys.exit(1 if refused or answer["errors"] or code != 0 else 0)


main()
