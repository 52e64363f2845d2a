# SPDX-License-Identifier: Apache-2.0
"""New workers for each epoch: a tree whose members come and go, and that does not grow."""
import multiprocessing
import time

from pace import Pace


def work(seconds):
    begin = time.monotonic()
    held = []
    while time.monotonic() - begin < seconds:
        if len(held) < 100:
            held.append(bytearray(200_000))
        time.sleep(seconds / 300)


if __name__ == "__main__":
    pace = Pace()
    ballast = bytearray(40 << 20)
    for _ in range(12):
        epoch = [multiprocessing.Process(target=work, args=(pace.seconds / 12.5,)) for _ in range(3)]
        for worker in epoch:
            worker.start()
        for worker in epoch:
            worker.join()
