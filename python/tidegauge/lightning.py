# SPDX-License-Identifier: Apache-2.0
"""Callbacks for Lightning: memory in the trainer's own logs, a summary and a verdict at the end.

    from tidegauge.lightning import MemoryCallback
    trainer = Trainer(…, callbacks=[MemoryCallback(every=50)])
"""
from __future__ import annotations

import functools
import os
from typing import Any, Callable, Optional

try:
    from lightning.pytorch import Trainer
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning import Trainer
    from pytorch_lightning.callbacks import Callback

from tidegauge import _marks
from tidegauge._log import StepLog
from tidegauge.checkpoint import Request, listen, requested_anywhere, resume_path, take_resume_path
from tidegauge.remedies import Cleanup
from tidegauge.resume import random_state, restore_random_state


def _why_not_equal(trainer: Any) -> list:
    """Why a training that goes on from a checkpoint ends with other bits than one that never stopped, as far as that can be told."""
    reasons = []
    if not any(isinstance(one, ResumeExactly) for one in trainer.callbacks):
        reasons.append("Lightning does not keep the random generators; tidegauge.lightning.ResumeExactly does")
    if not hasattr(trainer.train_dataloader, "state_dict"):
        reasons.append("the loader begins anew; tidegauge.resume.ResumableLoader does not")
    torch: Any = __import__("torch")
    if trainer.strategy.root_device.type != "cpu" and not torch.are_deterministic_algorithms_enabled():
        reasons.append("not all that runs on a GPU is deterministic")
    return reasons


FIT_CKPT_PATH = 4  # its place among fit()'s arguments


def _go_on_by_itself() -> None:
    """Lets the first Trainer with a MemoryCallback go on from the checkpoint that the guard names, unless its program says from where."""
    original = Trainer.fit
    if hasattr(original, "tidegauge_original"):
        return

    @functools.wraps(original)
    def fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        ours = [one for one in self.callbacks if isinstance(one, MemoryCallback) and one.on_request is not None]
        said = kwargs.get("ckpt_path") is not None or len(args) > FIT_CKPT_PATH
        if ours and not said and resume_path().endswith(".ckpt"):
            path = take_resume_path()
            if path:
                kwargs["ckpt_path"] = ours[0].resumed_from = path
        return original(self, *args, **kwargs)

    fit.tidegauge_original = original  # type: ignore[attr-defined]
    Trainer.fit = fit


class MemoryCallback(Callback):
    """Memory every `every` optimizer steps, to all loggers of the trainer.

    on_request: what to do when a checkpoint is asked for by SIGUSR2: "save_and_stop", "save", or None to leave the signal alone, and
    `tidegauge ask`, too, which says itself whether to stop.
    The file lies beside the other checkpoints and is called tidegauge-step=N.ckpt. Unless it is None, the next life of a guarded job goes on
    from its checkpoint by itself.
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
        self.resumed_from = ""  # by itself
        if on_request is not None and resume_path():
            _go_on_by_itself()

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        if self.resumed_from and trainer.is_global_zero:
            reasons = _why_not_equal(trainer)
            self.say(f"tidegauge: resumed from {self.resumed_from}" + (f", not bit-equal: {'; '.join(reasons)}" if reasons else ""))

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        # Lightning leaves with exit code 0 then, which looks as if all had been done.
        if getattr(trainer, "received_sigterm", False) and trainer.is_global_zero:
            words = f"SIGTERM ended this training at step {trainer.global_step}: it is not done"
            self.say(f"tidegauge: {words}")
            _marks.mark(words)

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
        request = requested_anywhere() if self.on_request is not None else None
        if request is not None:
            self._save(trainer, step, request)

    def _save(self, trainer: Any, step: int, request: Request) -> None:
        request.saving(step)
        folder = getattr(trainer.checkpoint_callback, "dirpath", None) or trainer.default_root_dir
        path = os.path.join(folder, f"tidegauge-step={step}.ckpt")
        try:
            trainer.save_checkpoint(path)
        except OSError as error:  # a full disk: going on is better than ending without it
            self.say(f"tidegauge: a checkpoint was asked for at step {step} and could not be saved: {error}")
            request.failed(error, step)
            return
        request.saved(path, step)
        self.say(f"tidegauge: a checkpoint was asked for at step {step}: {path}")
        if request.stop or (request.stop is None and self.on_request == "save_and_stop"):
            trainer.should_stop = True

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:  # before the model is taken off the GPU
        if trainer.is_global_zero:
            batches = trainer.num_training_batches
            if isinstance(batches, int) and batches > 0:
                self.memory.steps_per_epoch = batches / max(1, trainer.accumulate_grad_batches)
            self.memory.read(trainer.global_step)
            for line in self.memory.summary(self.large_tensors):
                self.say(line)


class ResumeExactly(Callback):
    """Keeps the state of the random generators in every checkpoint and puts it back before the first batch after a resume.

    With a tidegauge.resume.ResumableLoader, which Lightning asks for its place itself, training ends with the same weights as if it had
    never stopped.
    """

    def __init__(self) -> None:
        self._kept: Optional[dict] = None

    def state_dict(self) -> dict:
        return {"random": random_state()}

    def load_state_dict(self, state_dict: dict) -> None:
        self._kept = state_dict.get("random")

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: dict) -> None:
        # Saved at the end of a batch, by us or by ModelCheckpoint, that batch does not count as completed yet, and would be missing
        # from the rest of the epoch.
        progress = checkpoint.get("loops", {}).get("fit_loop", {}).get("epoch_loop.batch_progress", {})
        for count in (progress.get("current", {}), progress.get("total", {})):
            if count.get("processed") == count.get("ready"):
                count["completed"] = count.get("processed")

    def on_train_batch_start(self, trainer: Any, pl_module: Any, *args: Any, **kwargs: Any) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            restore_random_state(kept)


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
