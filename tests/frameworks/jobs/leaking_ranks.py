# SPDX-License-Identifier: Apache-2.0
"""A distributed loop that leaks 16 MiB a step in each rank: torchrun --nproc-per-node 2 leaking_ranks.py FOLDER STEPS

It saves when it is asked, all ranks at the same step, and goes on from $TIDEGAUGE_RESUME. One that was told to stop does not until SIGTERM comes.
"""
import json
import os
import pathlib
import signal
import sys
import time

import torch
import torch.distributed as distributed

from tidegauge.checkpoint import requested_anywhere

FOLDER, STEPS = pathlib.Path(sys.argv[1]), int(sys.argv[2])
terminated, tells = os.pipe()


def say(line):
    os.write(1, f"{line}\n".encode())  # in one piece: there are others


signal.signal(signal.SIGTERM, lambda *_: os.write(tells, b"x"))
distributed.init_process_group("gloo")
distributed.barrier()  # where one has nothing left to do, it must not leave while another still connects to it
rank = distributed.get_rank()
first, state = 0, 1
if "TIDEGAUGE_RESUME" in os.environ:
    first, state = json.loads(pathlib.Path(os.environ["TIDEGAUGE_RESUME"]).read_text())
pile = []
for step in range(first + 1, STEPS + 1):
    pile.append(b"x" * (16 << 20))
    number = torch.tensor(step * (rank + 1))
    distributed.all_reduce(number)
    state = (state * 31 + int(number)) % 1_000_003
    time.sleep(0.02)
    request = requested_anywhere()
    if request is None:
        continue
    path = FOLDER / f"state-{step}.json"
    if rank == 0:
        path.write_text(json.dumps([step, state]))
    distributed.barrier()
    request.saved(path, step)
    if request.stop:
        os.read(terminated, 1)
        say(f"rank {rank} stopped {step}")
        os._exit(0)
say(f"rank {rank} end {STEPS} {state}")
distributed.destroy_process_group()
