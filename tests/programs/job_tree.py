#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job as they are started in practice: a shell that waits, the job itself, and its workers.

job_tree.py WORKERS. Says "ready MAIN WORKER WORKER…" (pids), then obeys lines on stdin:

  grow BYTES            the job keeps that much more memory        done
  worker NUMBER BYTES   a worker does                              done
  end NUMBER            a worker ends                              done

and ends, all of it, at the end of its stdin.
"""
import os
import shlex
import signal
import sys

kept = []


def keep(size: int) -> None:
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])
    kept.append(block)


def work(orders: int, answers: int) -> None:
    """Keeps as many bytes as each line says; ends when the job has."""
    with os.fdopen(orders) as lines:
        for line in lines:
            keep(int(line))
            os.write(answers, b"x")
    os._exit(0)


class Worker:
    def __init__(self, others: list):
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            for end in [self.orders, self.answers, *(end for other in others for end in (other.orders, other.answers))]:
                os.close(end)
            work(orders, answers)
        os.close(orders)
        os.close(answers)

    def keep(self, size: int) -> None:
        os.write(self.orders, b"%d\n" % size)
        os.read(self.answers, 1)

    def end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)


def main(count: int) -> None:
    workers: list = []
    for _ in range(count):
        workers.append(Worker(workers))
    print("ready", os.getpid(), *(worker.pid for worker in workers), flush=True)
    for line in sys.stdin:
        word, *numbers = line.split()
        numbers = [int(number) for number in numbers]
        if word == "grow":
            keep(numbers[0])
        elif word == "worker":
            workers[numbers[0]].keep(numbers[1])
        elif word == "end":
            workers[numbers[0]].end()
        else:
            sys.exit(f"{word} is no word that I know")
        print("done", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        main(int(sys.argv[2]))
    else:
        # The shell stays in between because something comes after the job.
        job = shlex.join([sys.executable, __file__, "--job", sys.argv[1]])
        os.execv("/bin/sh", ["sh", "-c", f"{job}; exit $?"])
