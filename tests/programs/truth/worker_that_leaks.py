# SPDX-License-Identifier: Apache-2.0
"""Four workers; one of them keeps what it reads."""
import multiprocessing

from pace import Pace


def work(number):
    pace = Pace()
    pace.random.seed(number)
    buffer = bytearray(20 << 20)
    kept = []
    for _ in pace:
        for _ in range(pace.due(1000)):
            batch = bytearray(120_000)
            buffer[: len(batch)] = batch
            if number == 2:
                kept.append(batch)


if __name__ == "__main__":
    workers = [multiprocessing.Process(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
