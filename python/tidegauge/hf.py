# SPDX-License-Identifier: Apache-2.0
"""Callbacks for transformers' Trainer: memory in the trainer's own logs, a summary and a verdict at the end.

    from tidegauge.hf import MemoryCallback
    trainer = Trainer(…, callbacks=[MemoryCallback(every=50)])
"""
from __future__ import annotations

import functools
import glob
import os
from typing import Any, Callable, Optional

from transformers import DefaultFlowCallback, Trainer, TrainerCallback
from transformers.trainer_utils import TrainOutput

from tidegauge._log import StepLog
from tidegauge.checkpoint import Request, listen, requested_anywhere, resume_path, take_resume_path
from tidegauge.remedies import Cleanup
from tidegauge.resume import SeededByIndex


def _why_not_equal(trainer: Any, path: str) -> list:
    """Why a training that goes on from `path` ends with other bits than one that never stopped, as far as that can be told."""
    args, reasons = trainer.args, []
    kept = len(glob.glob(os.path.join(glob.escape(path), "rng_state*.pth")))
    if kept != max(1, args.world_size):
        reasons.append(f"the random generators of {kept} processes were kept, and there are {max(1, args.world_size)}")
    if args.ignore_data_skip:
        reasons.append("ignore_data_skip begins anew with the data")
    torch: Any = __import__("torch")
    if args.device.type != "cpu" and not torch.are_deterministic_algorithms_enabled():
        reasons.append("not all that runs on a GPU is deterministic")
    return reasons


class _NothingLeft(Exception):
    """The checkpoint is of the last step."""


def _go_on_by_itself() -> None:
    """Lets the first Trainer with a MemoryCallback whose checkpoint the guard names go on from there, unless its program says from where."""
    original = Trainer.train
    if hasattr(original, "tidegauge_original"):
        return

    @functools.wraps(original)
    def train(self: Any, resume_from_checkpoint: Any = None, *args: Any, **kwargs: Any) -> Any:
        ours = [one for one in self.callback_handler.callbacks if isinstance(one, MemoryCallback) and one.on_request is not None]
        mine = os.path.dirname(resume_path()) == os.path.abspath(self.args.output_dir)
        if ours and mine and resume_from_checkpoint in (None, True):
            path = take_resume_path()
            if path:
                resume_from_checkpoint = path
                reasons = _why_not_equal(self, path)
                ours[0].say(f"tidegauge: resumed from {path}" + (f", not bit-equal: {'; '.join(reasons)}" if reasons else ""))
                ours[0].goes_on_by_itself = True
        try:
            return original(self, resume_from_checkpoint, *args, **kwargs)
        except _NothingLeft:
            self.is_in_train = False
            self.control = self.callback_handler.on_train_end(self.args, self.state, self.control)
            return TrainOutput(self.state.global_step, 0.0, {})

    train.tidegauge_original = original  # type: ignore[attr-defined]
    Trainer.train = train


def _ends_epoch(args: Any, state: Any) -> bool:
    """Whether this step is the last of an epoch that ends with an evaluation or a checkpoint of the trainer's own."""
    evaluation = getattr(args, "eval_strategy", None) or getattr(args, "evaluation_strategy", None)  # before 4.41
    return float(state.epoch).is_integer() and "epoch" in (evaluation, args.save_strategy)


class MemoryCallback(TrainerCallback):
    """Memory beside loss and learning rate, whenever the trainer logs and every `every` steps.

    on_request: what to do when a checkpoint is asked for by SIGUSR2: "save_and_stop", "save", or None to leave the signal alone, and
    `tidegauge ask`, too, which says itself whether to stop. Unless it is None, the next life of a guarded job goes on from its checkpoint
    by itself.
    """

    def __init__(self, every: Optional[int] = None, large_tensors: int = 5, count_tensors: bool = True,
                 on_request: Optional[str] = "save_and_stop", say: Callable[[str], Any] = print) -> None:  # fmt: skip
        if on_request not in ("save_and_stop", "save", None):
            raise ValueError(f'on_request is "save_and_stop", "save" or None, not {on_request!r}')
        self.every = every
        self.large_tensors = large_tensors
        self.on_request = on_request
        self.say = say
        self.memory = StepLog(count_tensors)
        self._request: Optional[Request] = None
        self._has_stopped = False
        self._most_checkpoints: Optional[int] = None
        self.goes_on_by_itself = False
        if on_request is not None and resume_path():
            _go_on_by_itself()

    def add_to(self, trainer: Any) -> MemoryCallback:
        """Puts this before those callbacks of a trainer that report, so that TensorBoard, W&B and the like get the numbers too."""
        callbacks = trainer.callback_handler.callbacks
        callbacks.insert(int(bool(callbacks) and isinstance(callbacks[0], DefaultFlowCallback)), self)
        return self

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if args.max_steps <= 0 and state.num_train_epochs:  # otherwise nobody says how long an epoch is
            self.memory.steps_per_epoch = state.max_steps / state.num_train_epochs
        self._has_stopped = False
        if self.on_request is not None:
            listen()

    def on_epoch_begin(self, args: Any, state: Any, control: Any, train_dataloader: Any = None, **kwargs: Any) -> None:
        if self.goes_on_by_itself and state.global_step >= state.max_steps > 0:
            raise _NothingLeft  # one step more would be trained
        # accelerate tells the sampler of the epoch that is resumed, and not the data set.
        dataset = getattr(train_dataloader, "dataset", None)
        if isinstance(dataset, SeededByIndex):
            dataset.set_epoch(int((state.epoch or 0) + 1e-6))

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        self.memory.step(state.global_step)
        if self.every and state.global_step % self.every == 0:
            control.should_log = True
        request = requested_anywhere() if self.on_request is not None else None
        if request is not None:
            self._request = request
            self.say(f"tidegauge: a checkpoint was asked for at step {state.global_step}")
        # Where an evaluation is due at the end of the epoch, the checkpoint comes after it: training would go on without it.
        if self._request is not None and not _ends_epoch(args, state):
            self._save(state, control)
        return control

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        if self._has_stopped:  # in the middle of the epoch, whatever is due at its end
            control.should_evaluate = control.should_save = False
        elif self._request is not None:
            self._request = requested_anywhere() or self._request
            self._save(state, control)
        return control

    def _save(self, state: Any, control: Any) -> None:
        """At the end of this step, unless save_strategy is "best" and an evaluation finds this one is not: then after the next."""
        assert self._request is not None
        self._request.saving(state.global_step)
        control.should_save = True

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        request, self._request = self._request, None
        if request is None:
            return control
        path = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
        if os.path.isdir(path) or not state.is_world_process_zero:  # another machine's disk may not be ours
            request.saved(path, state.global_step)
        else:
            request.failed(f"there is no {path}", state.global_step)
        if request.stop or (request.stop is None and self.on_request == "save_and_stop"):
            control.should_training_stop = self._has_stopped = True
            # At the end of a training with a limit of one, transformers deletes all checkpoints but the best.
            self._most_checkpoints, args.save_total_limit = args.save_total_limit, None
        return control

    def on_log(self, args: Any, state: Any, control: Any, logs: Optional[dict] = None, **kwargs: Any) -> None:
        if logs is None or not state.is_world_process_zero:
            return
        memory = self.memory.read(state.global_step)
        logs.update(memory)
        if state.log_history and state.log_history[-1] is not logs:
            state.log_history[-1].update(memory)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._has_stopped:
            args.save_total_limit = self._most_checkpoints
        if state.is_world_process_zero:
            self.memory.read(state.global_step)
            for line in self.memory.summary(self.large_tensors):
                self.say(line)


class CleanupCallback(TrainerCallback):
    """Cleans up every `every` steps and says at the end what that cost and gave back (tidegauge.remedies.Cleanup)."""

    def __init__(self, every: int = 10, say: Callable[[str], Any] = print, **parts: Any) -> None:
        self.cleanup = Cleanup(every, **parts)
        self.say = say

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.step()

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.now()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.say(self.cleanup.report())
