# SPDX-License-Identifier: Apache-2.0
"""A job that counts the signals it gets, and tells on request. Obeys lines on stdin, or on the FIFO it is given."""
import collections
import os
import signal
import sys

got = collections.Counter()


def count(number, _frame):
    got[signal.Signals(number).name] += 1
    say("got", signal.Signals(number).name)


def say(*words):
    # One write: a handler may come between two.
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"):
    signal.signal(getattr(signal, name), count)
lines = open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin
say("job", os.getpid(), "of", os.getppid())
for line in iter(lines.readline, ""):
    word = line.strip()
    if word == "count":
        say("counted", *sorted(f"{name}={number}" for name, number in got.items()), "end")
    elif word == "size":
        size = os.get_terminal_size(1)
        say("size", size.lines, size.columns)
    elif word.startswith("exit"):
        sys.exit(int(word.split()[1]))
    elif word == "die":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        say("mortal")
    else:
        say("heard", word)
