# SPDX-License-Identifier: Apache-2.0
"""A process that does many things at once, checks them all, and says so at the end: what disturbs it is found out.

    busy.py

Threads rewrite a shared heap under sums that must stay the same, wait in epoll, sleep, take signals, fork children and wait for
them, start programs; the collector runs. Says "ready"; on a line or the end of stdin it stops and prints JSON: how much was done, and errors.
"""
import gc
import json
import os
import random
import select
import signal
import subprocess
import sys
import threading
import time

done = dict.fromkeys(["rewrites", "polls", "sleeps", "signals", "forks", "programs", "collections"], 0)
errors = []
over = threading.Event()


class Sample:
    def __init__(self, i):
        self.number, self.rest, self.load = i, -i, [i, -i]


def works(name):
    def decorate(step):
        def loop():
            while not over.is_set():
                try:
                    step()
                    done[name] += 1
                except Exception as error:  # whatever it is, it is what we look for
                    errors.append(f"{name}: {error!r}")
                    return

        return loop

    return decorate


samples = [Sample(i) for i in range(20_000)]
ours, theirs = os.pipe()
poll = select.epoll()
poll.register(ours, select.EPOLLIN)


@works("rewrites")
def rewrite():
    at = random.randrange(len(samples))
    one = samples[at]
    if one.number + one.rest != 0 or sum(one.load) != 0:
        raise ValueError(f"sample {at} is broken")
    samples[at] = Sample(random.randrange(1 << 40))
    cycle = []
    cycle.append(cycle)


@works("polls")
def wait_in_epoll():
    os.write(theirs, b"x")
    if poll.poll(5) != [(ours, select.EPOLLIN)] or os.read(ours, 1) != b"x":
        raise ValueError("a byte was lost")


@works("sleeps")
def sleep():
    begin = time.monotonic()
    time.sleep(0.002)
    if time.monotonic() - begin < 0.002:
        raise ValueError("slept too short")


@works("forks")
def fork():
    child = os.fork()
    if child == 0:
        os._exit(0 if all(one.number + one.rest == 0 for one in samples[:100]) else 1)
    if os.waitpid(child, 0) != (child, 0):
        raise ValueError("a child ended wrongly")
    time.sleep(0.01)


@works("programs")
def start_a_program():
    if subprocess.run(["true"]).returncode != 0:
        raise ValueError("true is false")
    time.sleep(0.02)


@works("collections")
def collect():
    gc.collect()
    time.sleep(0.01)


def count_signal(*_):
    done["signals"] += 1


def main():
    signal.signal(signal.SIGALRM, count_signal)
    signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
    threads = [threading.Thread(target=work) for work in (rewrite, rewrite, wait_in_epoll, sleep, fork, start_a_program, collect)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    sys.stdin.readline()
    over.set()
    for thread in threads:
        thread.join()
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        errors.append(f"a child is left: {os.waitpid(-1, os.WNOHANG)}")
    except ChildProcessError:
        pass
    print(json.dumps({"done": done, "errors": errors}), flush=True)


main()
