# SPDX-License-Identifier: Apache-2.0
"""A callback for transformers' Trainer: memory in the trainer's own logs, and a summary at the end.

    from tidegauge.hf import MemoryCallback
    trainer = Trainer(…, callbacks=[MemoryCallback(every=50)])
"""
from transformers import TrainerCallback

from tidegauge._log import StepLog


class MemoryCallback(TrainerCallback):
    """Logs memory every `every` steps (default: whenever the trainer logs) beside loss and learning rate."""

    def __init__(self, every=None, large_tensors=5):
        self.every = every
        self.large_tensors = large_tensors
        self._log = StepLog(every or 1)

    def on_step_end(self, args, state, control, **kwargs):
        if self.every and self._log.due(state.global_step):
            control.should_log = True

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs is None or not state.is_world_process_zero:
            return
        memory = self._log.read(state.global_step)
        logs.update(memory)
        if state.log_history:
            state.log_history[-1].update(memory)

    def on_train_end(self, args, state, control, **kwargs):
        if state.is_world_process_zero:
            self._log.read(state.global_step)
            for line in self._log.summary(self.large_tensors):
                print(line)
