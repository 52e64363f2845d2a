# SPDX-License-Identifier: Apache-2.0
"""A callback for Lightning: memory in the trainer's own logs, and a summary at the end.

    from tidegauge.lightning import MemoryCallback
    trainer = Trainer(…, callbacks=[MemoryCallback(every=50)])
"""
try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

from tidegauge._log import StepLog


class MemoryCallback(Callback):
    """Logs memory every `every` steps to the trainer's loggers."""

    def __init__(self, every=50, large_tensors=5):
        self.large_tensors = large_tensors
        self._log = StepLog(every)
        self._last = 0

    def on_train_batch_end(self, trainer, pl_module, *args, **kwargs):
        step = trainer.global_step
        if step == self._last or not self._log.due(step):  # gradients are being accumulated, or not due
            return
        self._last = step
        memory = self._log.read(step)
        for logger in trainer.loggers:
            logger.log_metrics(memory, step=step)

    def on_fit_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self._log.read(trainer.global_step)
            for line in self._log.summary(self.large_tensors):
                print(line)
