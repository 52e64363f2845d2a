# SPDX-License-Identifier: Apache-2.0
"""Runs a job as it is, up to so many steps of its optimizer; then says "ready" and waits for a line.

    paused.py JOB STEPS WORDS...
"""
import runpy
import sys

from torch.optim.optimizer import register_optimizer_step_post_hook

job, steps = sys.argv[1], int(sys.argv[2])
sys.argv = [job, *sys.argv[3:]]
taken = 0


def after_step(*_):
    global taken
    taken += 1
    if taken == steps:
        print("ready", flush=True)
        sys.stdin.readline()


register_optimizer_step_post_hook(after_step)
runpy.run_path(job, run_name="__main__")
