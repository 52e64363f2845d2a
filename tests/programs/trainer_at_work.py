# SPDX-License-Identifier: Apache-2.0
"""Keeps count as transformers' Trainer does, and obeys lines: "at STEP PASSES", "evaluate", "train", "end"."""
import sys

SOURCE = '''
class State:
    def __init__(self):
        self.epoch = None
        self.global_step = 0
        self.max_steps = 0
        self.num_train_epochs = 0
        self.log_history = []


class Trainer:
    def __init__(self, obey):
        self.obey, self.state = obey, State()

    def train(self):
        self.state.max_steps, self.state.num_train_epochs = 332, 4
        return self._inner_training_loop()

    def _inner_training_loop(self, batch=2):
        while self.obey(self, "train"):
            self.evaluate()

    def evaluate(self):
        self.obey(self, "evaluate")
'''


def obey(trainer, phase):
    """Until it is told to do the other thing; false: it is told to end."""
    for line in iter(sys.stdin.readline, ""):
        word, *numbers = line.split()
        if word == "end":
            return False
        if word == "at":
            trainer.state.global_step, trainer.state.epoch = int(numbers[0]), float(numbers[1])
        print("done", flush=True)
        if word != "at" and word != phase:
            return True
    return False


names = {}
exec(compile(SOURCE, "/opt/site-packages/transformers/trainer.py", "exec"), names)
print("ready", flush=True)
names["Trainer"](obey).train()
