# SPDX-License-Identifier: Apache-2.0
"""Three steps and a checkpoint of a trainer that does nothing, through stand-ins of what a framework calls."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stand_ins"))

from safetensors.torch import save_file
from transformers.trainer_callback import CallbackHandler


class State:
    global_step = 0
    max_steps = 3


def train(steps=3):
    handler = CallbackHandler()
    state = State()
    for step in range(1, steps + 1):
        state.global_step = step
        handler.on_step_end(None, state, "go on")
    return save_file({"a": 1}, "nowhere")


if __name__ == "__main__":
    print(train(), save_file.__module__, save_file.__qualname__, save_file.__doc__, sys.flags.isolated, sys.flags.no_site)
