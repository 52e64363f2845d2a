# SPDX-License-Identifier: Apache-2.0
"""A thousand censuses of a process that does many things at once and checks them all.

    endurance.py TIDEGAUGE [--times 1000] [--kill census | hand | both]

With --kill each census is killed at a random moment instead: the process that was started, the one that it has made to hold the
target, or both at once.
"""
import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time

BUSY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "busy.py")

BUSY_THREADS = 8


def state_of(pid):
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    return fields["State"][0], int(fields["TracerPid"])


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as children:
                found += children.read().split()
        except OSError:
            pass  # that thread has ended
    return found


def one_census(tidegauge, pid, stream):
    words = [tidegauge, "census", str(pid), "--json"] + (["--stream"] if stream else [])
    return subprocess.run(words, capture_output=True, text=True)


def hand_of(pid):
    """The process that holds the target, once it has its name; none if the census ends before."""
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            for child in children.read().split():
                try:
                    with open(f"/proc/{child}/comm") as name:
                        if name.read().strip() == "tidegauge-hand":
                            return int(child)
                except OSError:
                    pass  # it has ended
    return None


def spin(seconds):
    """A sleep is too coarse: half of the hand's work is done in a millisecond."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def killed_census(tidegauge, pid, what, within_seconds):
    process = subprocess.Popen([tidegauge, "census", str(pid), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if what == "census":
        time.sleep(random.random() * within_seconds)
        process.kill()
        return process.wait() != 0
    hand = hand_of(process.pid)
    if hand is None:
        process.wait()
        return False
    # Most of what may go wrong is at the beginning.
    spin(random.choice([0.001, 0.004, within_seconds]) * random.random())
    try:
        os.kill(hand, signal.SIGKILL)
    except ProcessLookupError:
        return False
    if what == "both":
        process.kill()
    if process.wait() < 0 and what == "hand":
        sys.exit(f"the census died of signal {-process.returncode} when its hand was killed")
    return True


def lasting_zombies(pid):
    """Ended children that nobody has asked for within a second."""
    ended = None
    for _ in range(20):
        now = set()
        for child in children_of(pid):
            try:
                if state_of(child)[0] == "Z":
                    now.add(child)
            except OSError:
                pass  # gone
        ended = now if ended is None else ended & now
        if not ended:
            break
        time.sleep(0.05)
    return ended


def wait_until_alone(pid):
    """The hand lets go by itself; how long that took."""
    begin = time.monotonic()
    while state_of(pid)[1] != 0 or state_of(pid)[0] in "tT":
        if time.monotonic() - begin > 10:
            sys.exit("the process is still held ten seconds after the census was killed")
        time.sleep(0.001)
    return time.monotonic() - begin


def lasting_threads(pid):
    """The least within ten seconds: the last helper may still be about to end."""
    least = BUSY_THREADS + 1
    end = time.monotonic() + 10
    while least > BUSY_THREADS and time.monotonic() < end:
        least = len(os.listdir(f"/proc/{pid}/task"))
        time.sleep(0.01)
    return least


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tidegauge")
    words.add_argument("--times", type=int, default=1000)
    words.add_argument("--kill", choices=["census", "hand", "both"])
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
            killed += killed_census(told.tidegauge, busy.pid, told.kill, usual)
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
    threads = lasting_threads(busy.pid)
    if threads > BUSY_THREADS:
        refused.append(f"{threads} threads instead of {BUSY_THREADS}")
    if zombies := lasting_zombies(busy.pid):
        refused.append(f"{len(zombies)} ended children that nobody asks for")
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
