# SPDX-License-Identifier: Apache-2.0
"""Where in Lightning's loops a checkpoint was saved, and how to go on from exactly there.

Lightning knows how to go on between two epochs. Elsewhere each version guesses differently: after the last step of an epoch it trains a step
too many, leaves out the validation that was due, or begins again with the data of the first epoch. So the place is written into the
checkpoint, and after a resume the loops are put there by hand, at the first thing that they do:

    after a batch        what follows a batch comes next: a validation that is due, a scheduler that waits for it, the end of the epoch
    after a validation   the same without the validation
    after an epoch       the next epoch
    within a step        nothing is promised: Lightning goes on as it does by itself
"""
from __future__ import annotations

import copy
import weakref
from typing import Any, Callable, Optional

from tidegauge import _lightning_results as results

BATCH, VALIDATION, EPOCH, STEP = "after a batch", "after a validation", "after an epoch", "within a step"
KEY = "tidegauge"  # in the checkpoint

_places: Any = weakref.WeakKeyDictionary()


def place_in(trainer: Any) -> Place:
    """What the callbacks of one trainer share."""
    if trainer not in _places:
        _places[trainer] = Place()
    return _places[trainer]


class Place:
    def __init__(self) -> None:
        self.after_batch: list = []  # called with the trainer when all that belongs to a batch is done, and before what follows it
        self.restore_random: Optional[Callable[[], None]] = None
        self.validated = False  # the validation of this batch has ended
        self.resumed_at = ""  # one of the places above; empty: not resumed, or from a checkpoint without a place
        self.lost: list = []  # names of metrics that are not known from before the resume
        self._loaders = 0  # whose place was in the checkpoint
        self._results: dict = {}  # of the epoch before the resume, not yet added to those of its rest
        self._most_steps: Optional[int] = None  # of this training, while it is put off
        self._made: list = []  # names of results that were made anew

    def watch(self, trainer: Any) -> None:
        """To be called in setup(), before a checkpoint is loaded."""
        loop = trainer.fit_loop.epoch_loop
        self.resumed_at, self.lost, self._loaders = "", [], 0
        self._forget(trainer)
        if "on_advance_end" in vars(loop):
            return
        original = loop.on_advance_end

        def on_advance_end(*args: Any) -> None:
            for call in self.after_batch:
                call(trainer)
            self._add_results(loop)
            try:
                original(*args)
            finally:
                self.validated = False
                vars(loop).pop("_should_check_val_fx", None)

        loop.on_advance_end = on_advance_end

    def _forget(self, trainer: Any) -> None:
        """What was to be done after a resume, and was not: nothing was left to do."""
        fit, loop = trainer.fit_loop, trainer.fit_loop.epoch_loop
        for one, name in ((fit, "on_advance_start"), (loop, "advance")):
            vars(one).pop(name, None)
        if self._most_steps is not None:
            loop.max_steps, self._most_steps = self._most_steps, None

    def leave(self, trainer: Any) -> None:
        self._forget(trainer)
        vars(trainer.fit_loop.epoch_loop).pop("on_advance_end", None)
        self.after_batch = []

    def begin_epoch(self, trainer: Any) -> None:
        for name in self._made:
            trainer.fit_loop.epoch_loop._results.pop(name, None)
        self._made, self._results = [], {}

    # ---- saving

    def now(self, trainer: Any) -> str:
        epoch = trainer.fit_loop.epoch_progress.current
        batch = trainer.fit_loop.epoch_loop.batch_progress.current
        if epoch.ready and epoch.processed == epoch.ready:
            return EPOCH
        if epoch.started != epoch.ready or not batch.ready or batch.processed != batch.ready:
            return STEP
        if trainer.validating:
            return VALIDATION if self.validated else STEP
        return BATCH

    def save(self, trainer: Any, checkpoint: dict) -> None:
        """To be called in on_save_checkpoint()."""
        fit, loop, where = trainer.fit_loop, trainer.fit_loop.epoch_loop, self.now(trainer)
        ended = loop._num_ready_batches_reached()
        record = {"place": where}
        if where != STEP:
            record["metrics"] = {name: value.detach().cpu() for name, value in trainer.callback_metrics.items()}
        if where in (BATCH, VALIDATION):
            record["results"], record["lost"] = results.kept(loop._results, ended, trainer.world_size)
        elif where == EPOCH:
            record["plateau"] = ended and fit.epoch_progress.current.completed != fit.epoch_progress.current.processed
        checkpoint[KEY] = record

    # ---- going on

    def has_loaders(self, trainer: Any) -> bool:
        """Whether all loaders go on from where they were."""
        loaders = trainer.fit_loop._combined_loader.flattened
        return len(loaders) == self._loaders and all(hasattr(one, "load_state_dict") for one in loaders)

    def load(self, trainer: Any, checkpoint: dict) -> None:
        """To be called in on_load_checkpoint(), before Lightning takes its loops' progress out of the checkpoint."""
        record, loops = checkpoint.get(KEY), checkpoint.get("loops", {}).get("fit_loop")
        if not trainer.training or self.resumed_at or not isinstance(record, dict) or not loops:
            return
        self.resumed_at, self.lost = record.get("place", STEP), record.get("lost", [])
        self._loaders = len(loops.get("state_dict", {}).get("combined_loader", []))
        if self.resumed_at == STEP:
            return
        # What was saved by a hook does not count as completed yet.
        done = [loops["epoch_loop.batch_progress"], *([loops["epoch_progress"]] if self.resumed_at == EPOCH else [])]
        for progress in done:
            for count in (progress["current"], progress["total"]):
                count["completed"] = count["processed"]
        saved = copy.deepcopy(loops)
        loaders = saved.get("state_dict", {}).pop("combined_loader", [])
        if self.resumed_at == EPOCH:
            self._go_on_after_epoch(trainer, saved, record, loaders)
        else:
            self._go_on_after_batch(trainer, saved, record, checkpoint["global_step"])

    def _go_on_after_batch(self, trainer: Any, saved: dict, record: dict, steps: int) -> None:
        loop = trainer.fit_loop.epoch_loop
        if -1 < loop.max_steps <= steps:  # Lightning would not begin, and leave out what follows the last step
            self._most_steps, loop.max_steps = loop.max_steps, -1

        def advance(*args: Any) -> None:  # in the place of a batch
            self._forget(trainer)
            self._put_back(trainer, saved, record)
            self._results = dict(record.get("results", {}))
            if self.resumed_at == VALIDATION:
                loop._should_check_val_fx = lambda *args: False
            self._restore_random()

        loop.advance = advance

    def _go_on_after_epoch(self, trainer: Any, saved: dict, record: dict, loaders: list) -> None:
        fit = trainer.fit_loop

        def on_advance_start() -> None:
            del fit.on_advance_start
            self._put_back(trainer, saved, record)
            if loaders:
                fit._combined_loader._load_state_dicts(loaders)
                iter(fit._data_fetcher)  # at the end of its pass, as it was; the epoch begins the next one
            if record.get("plateau"):
                fit.epoch_loop.update_lr_schedulers("epoch", update_plateau_schedulers=True)
            self._restore_random()
            fit.on_advance_start()

        fit.on_advance_start = on_advance_start

    @staticmethod
    def _put_back(trainer: Any, saved: dict, record: dict) -> None:
        """The loops' progress, as it was, whatever this version of Lightning has made of it; nothing is being restarted any more."""
        fit = trainer.fit_loop
        fit.load_state_dict(copy.deepcopy(saved))
        fit.epoch_loop.restarting = False
        for loop in (fit, fit.epoch_loop, fit.epoch_loop.val_loop):
            loop._restarting = loop._loaded_from_state_dict = loop._resuming_from_checkpoint = False
        device = trainer.strategy.root_device
        trainer._logger_connector._callback_metrics.update({name: value.to(device) for name, value in record.get("metrics", {}).items()})

    def _restore_random(self) -> None:
        if self.restore_random is not None:
            self.restore_random()

    def _add_results(self, loop: Any) -> None:
        if self._results:
            results.add(loop._results, self._results)
            if loop._num_ready_batches_reached():
                self._made = results.make(loop._results, self._results)
