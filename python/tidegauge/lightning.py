# SPDX-License-Identifier: Apache-2.0
"""Callbacks for Lightning: memory in the trainer's own logs, a summary and a verdict at the end.

    from tidegauge.lightning import MemoryCallback
    trainer = Trainer(…, callbacks=[MemoryCallback(every=50)])
"""
from __future__ import annotations

import os
from typing import Any, Callable, Optional

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

from tidegauge._log import StepLog
from tidegauge.checkpoint import listen, requested_anywhere
from tidegauge.remedies import Cleanup


class MemoryCallback(Callback):
    """Memory every `every` optimizer steps, to all loggers of the trainer.

    on_request: what to do when a checkpoint is asked for by SIGUSR2: "save_and_stop", "save", or None to leave the signal alone.
    The file lies beside the other checkpoints and is called tidegauge-step=N.ckpt.
    """

    def __init__(self, every: int = 50, large_tensors: int = 5, count_tensors: bool = True,
                 on_request: Optional[str] = "save_and_stop", say: Callable[[str], Any] = print) -> None:  # fmt: skip
        if on_request not in ("save_and_stop", "save", None):
            raise ValueError(f'on_request is "save_and_stop", "save" or None, not {on_request!r}')
        self.every = max(1, int(every))
        self.large_tensors = large_tensors
        self.on_request = on_request
        self.say = say
        self.memory = StepLog(count_tensors)
        self._last = 0

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        self._last = trainer.global_step
        if self.on_request is not None:
            listen()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *args: Any, **kwargs: Any) -> None:
        step = trainer.global_step
        if step == self._last:  # gradients are being accumulated
            return
        before, self._last = self._last, step
        self.memory.step(step)
        if step // self.every != before // self.every:  # two optimizers count two at once
            memory = self.memory.read(step)
            for logger in trainer.loggers:
                logger.log_metrics(memory, step=step)
        if self.on_request is not None and requested_anywhere():
            self._save(trainer, step)

    def _save(self, trainer: Any, step: int) -> None:
        folder = getattr(trainer.checkpoint_callback, "dirpath", None) or trainer.default_root_dir
        path = os.path.join(folder, f"tidegauge-step={step}.ckpt")
        try:
            trainer.save_checkpoint(path)
        except OSError as error:  # a full disk: going on is better than ending without it
            self.say(f"tidegauge: a checkpoint was asked for at step {step} and could not be saved: {error}")
            return
        self.say(f"tidegauge: a checkpoint was asked for at step {step}: {path}")
        if self.on_request == "save_and_stop":
            trainer.should_stop = True

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:  # before the model is taken off the GPU
        if trainer.is_global_zero:
            batches = trainer.num_training_batches
            if isinstance(batches, int) and batches > 0:
                self.memory.steps_per_epoch = batches / max(1, trainer.accumulate_grad_batches)
            self.memory.read(trainer.global_step)
            for line in self.memory.summary(self.large_tensors):
                self.say(line)


class CleanupCallback(Callback):
    """Cleans up every `every` steps and says at the end what that cost and gave back (tidegauge.remedies.Cleanup)."""

    def __init__(self, every: int = 10, say: Callable[[str], Any] = print, **parts: Any) -> None:
        self.cleanup = Cleanup(every, **parts)
        self.say = say
        self._last = 0

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *args: Any, **kwargs: Any) -> None:
        if trainer.global_step != self._last:
            self._last = trainer.global_step
            self.cleanup.step()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        self.cleanup.now()

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self.say(self.cleanup.report())
