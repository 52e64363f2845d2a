# SPDX-License-Identifier: Apache-2.0
"""Censuses of a process whose only thread waits in signal.sigtimedwait again and again, and how many of its waits they spoiled.

    timed_waits.py TIDEGAUGE [--times 400] [--seconds 0.2]

A stop that lies across the end of such a wait makes CPython return what lay on its stack instead of None.
"""
import argparse
import subprocess
import sys
import time

WAITS = """
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("ready", flush=True)
waits = spoiled = 0
while signal.SIGUSR2 not in signal.sigpending():
    waits += 1
    spoiled += signal.sigtimedwait([signal.SIGUSR1], float(sys.argv[1])) is not None
print(waits, spoiled, flush=True)
"""


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tidegauge")
    words.add_argument("--times", type=int, default=400)
    words.add_argument("--seconds", type=float, default=0.2)
    told = words.parse_args()
    block = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])\n"
    process = subprocess.Popen([sys.executable, "-c", block + WAITS, str(told.seconds)], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    begin = time.monotonic()
    failed = sum(subprocess.run([told.tidegauge, "census", str(process.pid)], capture_output=True).returncode != 0 for _ in range(told.times))
    seconds = (time.monotonic() - begin) / told.times
    process.send_signal(12)
    waits, spoiled = map(int, process.stdout.readline().split())
    print(f"{told.times} censuses, {seconds:.2f} s each, {failed} failed; {spoiled} of {waits} waits spoiled")
    sys.exit(1 if spoiled or failed else 0)


main()
