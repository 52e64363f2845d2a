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
from tidegauge._lightning_place import STEP, place_in
from tidegauge._log import StepLog
from tidegauge._verdict import warn
from tidegauge.checkpoint import Request, listen, requested_anywhere, resume_path, take_resume_path
from tidegauge.remedies import Cleanup
from tidegauge.resume import random_state, restore_random_state


def _why_not_equal(trainer: Any) -> list:
    """Why a training that goes on from a checkpoint ends with other bits than one that never stopped, as far as that can be told."""
    reasons, place = [], place_in(trainer)
    exactly = [one for one in trainer.callbacks if isinstance(one, ResumeExactly)]
    if not exactly:
        reasons.append("Lightning does not keep the random generators; tidegauge.lightning.ResumeExactly does")
    elif not any(one.has_state for one in exactly):
        reasons.append("the checkpoint lacks the random generators: it was saved without tidegauge.lightning.ResumeExactly")
    if not place.has_loaders(trainer):
        reasons.append("the loader begins anew; tidegauge.resume.ResumableLoader does not")
    if place.resumed_at in ("", STEP):
        reasons.append("it was not saved between two steps" if place.resumed_at else "the checkpoint does not say where in the epoch it was saved")
    reasons += [f"{name} is monitored, and its part before the checkpoint is lost" for name in place.lost if name in _monitored(trainer)]
    if trainer.world_size > 1:
        reasons.append("the random generators of one rank were kept for all")
    torch: Any = __import__("torch")
    if trainer.strategy.root_device.type != "cpu" and not torch.are_deterministic_algorithms_enabled():
        reasons.append("not all that runs on a GPU is deterministic")
    return reasons


def _monitored(trainer: Any) -> set:
    """Names of the metrics that schedulers and callbacks decide by."""
    return {getattr(one, "monitor", None) for one in (*trainer.lr_scheduler_configs, *trainer.callbacks)}


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


class _Placed(Callback):
    """Writes into each checkpoint where it was saved, and goes on from there."""

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        if stage == "fit":
            place_in(trainer).watch(trainer)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        place_in(trainer).begin_epoch(trainer)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        place_in(trainer).validated = not trainer.sanity_checking

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: dict) -> None:
        try:
            place_in(trainer).save(trainer, checkpoint)
        except Exception as error:  # another version of Lightning: what it does by itself is better than no checkpoint
            warn(f"the checkpoint does not say where it was saved: {error!r}")

    def on_load_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: dict) -> None:
        place_in(trainer).load(trainer, checkpoint)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        if stage == "fit":
            place_in(trainer).leave(trainer)


class MemoryCallback(_Placed):
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
        self._request: Optional[Request] = None
        self.resumed_from = ""  # by itself
        if on_request is not None and resume_path():
            _go_on_by_itself()

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        super().setup(trainer, pl_module, stage)
        if stage == "fit" and self._save not in place_in(trainer).after_batch:
            place_in(trainer).after_batch.append(self._save)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        reasons = _why_not_equal(trainer) if self.resumed_from else []
        self._say_resumed(trainer, f", not bit-equal: {'; '.join(reasons)}" if reasons else "")

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._say_resumed(trainer, ", where training had ended")

    def _say_resumed(self, trainer: Any, words: str) -> None:
        path, self.resumed_from = self.resumed_from, ""
        if path and trainer.is_global_zero:
            self.say(f"tidegauge: resumed from {path}{words}")

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
        self._request = requested_anywhere() if self.on_request is not None else None

    def _save(self, trainer: Any) -> None:
        """What was asked for in this batch, once the callbacks after this one and the module are done with it, too."""
        request, self._request = self._request, None
        if request is None:
            return
        step = trainer.global_step
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
            _stop(trainer)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:  # before the model is taken off the GPU
        if trainer.is_global_zero:
            batches = trainer.num_training_batches
            if isinstance(batches, int) and batches > 0:
                self.memory.steps_per_epoch = batches / max(1, trainer.accumulate_grad_batches)
            self.memory.read(trainer.global_step)
            for line in self.memory.summary(self.large_tensors):
                self.say(line)


def _stop(trainer: Any) -> None:
    """Ends this training after the batch, whatever the fewest epochs and steps are that it should have."""
    fit, loop = trainer.fit_loop, trainer.fit_loop.epoch_loop
    in_last_epoch = fit.max_epochs is not None and -1 < fit.max_epochs <= fit.epoch_progress.current.ready
    if -1 < loop.max_steps <= loop.global_step or (in_last_epoch and loop._num_ready_batches_reached()):
        return  # it has ended, with all that belongs to that
    trainer.should_stop = True
    fit.min_epochs, loop.min_steps = 0, None
    for one in trainer.checkpoint_callbacks:
        if hasattr(one, "_last_global_step_saved"):  # the epoch is not over, and nothing that a checkpoint of ours names may be deleted
            one._last_global_step_saved = trainer.global_step


class ResumeExactly(_Placed):
    """Keeps the state of the random generators in every checkpoint and puts it back after a resume, where it was saved.

    With a tidegauge.resume.ResumableLoader, which Lightning asks for its place itself, training ends with the same weights as if it had
    never stopped.
    """

    def __init__(self) -> None:
        self._kept: Optional[dict] = None

    @property
    def has_state(self) -> bool:
        """Whether there is something to put back."""
        return self._kept is not None

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        super().setup(trainer, pl_module, stage)
        place_in(trainer).restore_random = self._restore

    def state_dict(self) -> dict:
        return {"random": random_state()}

    def load_state_dict(self, state_dict: dict) -> None:
        self._kept = state_dict.get("random")

    def on_train_batch_start(self, trainer: Any, pl_module: Any, *args: Any, **kwargs: Any) -> None:
        self._restore()  # where the place was not known

    def _restore(self) -> None:
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
