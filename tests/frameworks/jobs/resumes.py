# SPDX-License-Identifier: Apache-2.0
"""Asks small trainings for a checkpoint at each of their steps, goes on from there, and compares with a training that nobody stopped.

    resumes.py hf|lightning [--steps 8,24] [--table] CASE[@STEPS]...

A case is what differs from the plain training, for example `workers=2,accumulate=3`, or `plain`; EXACT stands for all whose end has to be the
same, UNEQUAL for those where it cannot be. For each case a line of JSON: the steps after which the rest of the training was not the same to
the last bit, and in what.

The framework is imported once; each training runs in a process forked from that one.
"""
import argparse
import hashlib
import json
import logging
import os
import pathlib
import pickle
import random
import signal
import sys
import tempfile
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor

import torch
from small_training import AugmentedData, Model

from tidegauge import checkpoint

BATCH, BATCHES, EPOCHS = 2, 8, 3
AT_A_TIME = 2

SETTINGS = {
    "workers": 0,  # of the loader
    "accumulate": 1,  # batches for one step of the optimizer
    "batches": BATCHES,  # of an epoch
    "limit": 0,  # batches of an epoch that are used; 0: all
    "steps": 0,  # 1: the end is given in steps, 2: in the middle of an epoch
    "val": "none",  # end: after an epoch; mid: within it; many: every five batches, epochs or not
    "schedule": "cosine",  # step by step; epoch; plateau: by the loss of the validation
    "monitor": "val_loss",  # by the schedule and by own=best; train_loss: the mean of an epoch; metric: the same by torchmetrics
    "own": "none",  # checkpoints of the program's own: best, steps, last; epoch, where evaluations are
    "from": "ours",  # the checkpoint to go on from: ours, or the program's own
    "stop": 1,  # 0: it is asked to save and to go on
    "seeded": 1,  # 0: examples are made by chance of the process
    "exactly": 1,  # 0: without ResumeExactly
    "loader": "ours",  # plain: one that does not know its place
    "average": 0,  # 1: a callback after ours keeps a mean of the weights
    "manual": 0,  # 1: the module calls its optimizer itself
    "minimum": 0,  # 1: with min_epochs
    "skip": 1,  # 0: ignore_data_skip
}  # fmt: skip

EXACT = {
    "lightning": [
        "plain", "accumulate=2", "accumulate=3", "workers=2", "workers=2,accumulate=2", "workers=2,accumulate=3",
        "val=end", "val=mid", "val=many", "val=end,workers=2,accumulate=3", "val=mid,workers=2,accumulate=2",
        "steps=1", "steps=2", "steps=1,val=end", "steps=2,val=mid,accumulate=3", "steps=1,val=many,workers=2",
        "limit=5", "limit=5,val=end,workers=2,accumulate=2", "batches=1", "batches=1,val=end", "batches=7,accumulate=3,val=end",
        "schedule=epoch", "schedule=epoch,val=end,steps=1", "schedule=plateau,val=end", "schedule=plateau,val=mid",
        "schedule=plateau,monitor=train_loss", "schedule=plateau,monitor=train_loss,val=end,accumulate=3,own=best",
        "own=best,val=end", "own=best,val=mid,workers=2", "own=steps", "own=last,val=end",
        "stop=0", "stop=0,val=end,workers=2,accumulate=3", "stop=0,val=mid,schedule=plateau",
        "seeded=0", "seeded=0,val=end", "average=1", "average=1,val=end", "minimum=1", "minimum=1,val=end", "manual=1", "manual=1,val=end",
        "own=steps,from=own", "own=steps,from=own,val=end", "own=steps,from=own,val=mid,workers=2", "own=best,from=own,val=end",
        "own=best,from=own,val=end,schedule=plateau", "own=best,from=own,val=mid,accumulate=3", "own=last,from=own",
        "own=last,from=own,val=end", "own=last,from=own,val=end,schedule=plateau", "own=last,from=own,steps=1,val=end",
        "own=last,from=own,limit=5,workers=2",
    ],
    "hf": [
        "plain", "accumulate=2", "accumulate=3", "workers=2", "workers=2,accumulate=2", "workers=2,accumulate=3", "val=end", "val=mid",
        "val=end,workers=2,accumulate=3", "val=mid,accumulate=2", "steps=1", "steps=2", "steps=2,accumulate=3", "batches=1",
        "batches=7,accumulate=3,val=end", "schedule=plateau,val=end", "own=steps", "own=epoch,val=end", "own=best,val=end", "own=best,val=mid", "stop=0",
        "stop=0,val=end,workers=2,accumulate=3", "own=steps,from=own", "own=epoch,from=own,val=end",
    ],
}  # fmt: skip
UNEQUAL = {
    "lightning": ["exactly=0", "exactly=0,loader=plain", "exactly=0,loader=plain,val=end", "loader=plain", "schedule=plateau,monitor=metric"],
    "hf": ["skip=0", "seeded=0"],
}  # fmt: skip


class Case:
    def __init__(self, text):
        self.text = text
        values = dict(SETTINGS)
        for word in text.split(","):
            name, _, value = word.partition("=")
            if word != "plain":
                values[name] = type(SETTINGS[name])(value)
        self.__dict__.update(values)
        self.is_own = values["from"] == "own"
        self.used = self.limit or self.batches  # batches of an epoch
        self.steps_per_epoch = -(-self.used // self.accumulate)
        self.total = EPOCHS * self.steps_per_epoch
        if self.steps == 2:
            self.total -= self.steps_per_epoch // 2

    def data(self):
        from tidegauge.resume import SeededByIndex

        data = torch.utils.data.Subset(AugmentedData(), range(self.batches * BATCH))
        return SeededByIndex(data, seed=5) if self.seeded else data


def digest(thing):
    """Of all bits of nested containers with tensors."""
    hasher = hashlib.sha256()

    def add(part):
        if isinstance(part, torch.Tensor):
            part = part.detach().cpu()
            hasher.update(repr((part.dtype, part.shape)).encode() + part.numpy().tobytes())
        elif isinstance(part, dict):
            for key in sorted(part, key=str):
                add((str(key), part[key]))
        elif isinstance(part, (list, tuple)):
            hasher.update(f"{len(part)}".encode())
            for one in part:
                add(one)
        else:
            hasher.update(repr(part).encode())

    add(thing)
    return hasher.hexdigest()[:16]


def dice():
    return digest([torch.get_rng_state(), random.getstate()])


class Told:
    """What a training did, in order, and what it said."""

    def __init__(self):
        self.events, self.said, self.saved_at, self.path = [], [], None, ""
        self.last = 0  # step, when it was saved

    def did(self, *event):
        self.events.append(event)

    def say(self, line):
        if "asked for at step" in line or "resumed" in line or "not bit-equal" in line:
            self.said.append(line)

    def saved(self, path, step):
        if self.saved_at is None:
            self.saved_at, self.path, self.last = len(self.events), str(path), step


def hear_of_checkpoints(told):
    original = checkpoint.Request.saved

    def saved(request, path="", step=-1):
        told.saved(path, step)
        original(request, path, step)

    checkpoint.Request.saved = saved


def ask():
    os.kill(os.getpid(), signal.SIGUSR2)


# ---- transformers


def train_with_hf(case, folder, ask_at, resume, told):
    import transformers

    import tidegauge.hf

    class Watch(transformers.TrainerCallback):
        asked = False

        def on_step_begin(self, args, state, control, **kwargs):
            if state.global_step + 1 == ask_at and not self.asked and not case.is_own:
                self.asked = True
                ask()

        def on_step_end(self, args, state, control, lr_scheduler=None, **kwargs):
            told.did("step", state.global_step, lr_scheduler.get_last_lr())

        def on_evaluate(self, args, state, control, metrics=None, **kwargs):
            told.did("evaluated", state.global_step, metrics["eval_loss"])

        def on_save(self, args, state, control, **kwargs):
            if case.is_own and state.global_step == ask_at:
                told.saved(os.path.join(args.output_dir, f"checkpoint-{ask_at}"), ask_at)
                if case.stop:
                    raise KeyboardInterrupt

    class Watched(Model):
        def forward(self, x, labels):
            if self.training:
                told.did("batch", digest(x))
            return super().forward(x, labels)

    transformers.set_seed(1)
    options = {"save_strategy": "no", "eval_strategy": "no"}
    if case.val != "none":
        options |= {"eval_strategy": "epoch"} if case.val == "end" else {"eval_strategy": "steps", "eval_steps": 3}
    if case.own == "steps":
        options |= {"save_strategy": "steps", "save_steps": 1 if case.is_own else 3}
    elif case.own == "epoch":
        options |= {"save_strategy": "epoch"}
    elif case.own == "best":
        options |= {"save_strategy": "best", "save_total_limit": 1, "metric_for_best_model": "eval_loss", "load_best_model_at_end": False}
    schedule = {"cosine": "cosine", "plateau": "reduce_lr_on_plateau"}[case.schedule]
    if schedule != "cosine":
        options |= {"lr_scheduler_kwargs": {"patience": 0, "factor": 0.5}, "metric_for_best_model": "eval_loss"}
    arguments = transformers.TrainingArguments(
        output_dir=str(folder), num_train_epochs=EPOCHS, max_steps=case.total if case.steps else -1, per_device_train_batch_size=BATCH, report_to=[],
        use_cpu=True, disable_tqdm=True, logging_strategy="no", lr_scheduler_type=schedule, gradient_accumulation_steps=case.accumulate,
        dataloader_num_workers=case.workers, ignore_data_skip=not case.skip, learning_rate=0.01, **options,
    )  # fmt: skip
    ours = tidegauge.hf.MemoryCallback(say=told.say, count_tensors=False, on_request="save_and_stop" if case.stop else "save")
    trainer = transformers.Trainer(model=Watched(), args=arguments, train_dataset=case.data(), eval_dataset=case.data(), callbacks=[Watch(), ours])
    trainer.train()
    return {
        "steps": trainer.state.global_step,
        "weights": digest(dict(trainer.model.state_dict())),
        "optimizer": digest(trainer.optimizer.state_dict()),
        "schedule": digest(trainer.lr_scheduler.state_dict()),
        "dice": dice(),
    }


# ---- Lightning


def train_with_lightning(case, folder, ask_at, resume, told):
    try:
        import lightning.pytorch as lightning
    except ImportError:
        import pytorch_lightning as lightning
    import torchmetrics

    import tidegauge.lightning
    from tidegauge.resume import ResumableLoader

    class Watch(lightning.Callback):
        asked = False

        def on_train_batch_start(self, trainer, module, batch, index):
            told.did("batch", trainer.current_epoch, index, trainer.global_step, digest(batch), [group["lr"] for group in trainer.optimizers[0].param_groups])
            if trainer.global_step + 1 == ask_at and not self.asked and not case.is_own:
                self.asked = True
                ask()

        def on_validation_end(self, trainer, module):
            if not trainer.sanity_checking:
                told.did("validated", trainer.current_epoch, trainer.global_step, float(trainer.callback_metrics["val_loss"]))

        def on_train_epoch_end(self, trainer, module):
            told.did("epoch ended", trainer.current_epoch, trainer.global_step, float(trainer.callback_metrics.get(case.monitor, 0)))

    class Average(lightning.Callback):
        """A mean of the weights that is updated after each step."""

        mean = None

        def on_train_batch_end(self, trainer, module, *args, **kwargs):
            now = torch.cat([p.detach().flatten() for p in module.parameters()])
            self.mean = now.clone() if self.mean is None else 0.9 * self.mean + 0.1 * now

        def state_dict(self):
            return {"mean": self.mean}

        def load_state_dict(self, state):
            self.mean = state["mean"]

    class Own(lightning.callbacks.ModelCheckpoint):
        def _save_checkpoint(self, trainer, filepath):
            super()._save_checkpoint(trainer, filepath)
            if case.is_own and trainer.global_step == ask_at:
                told.saved(filepath, ask_at)
                if case.stop:
                    raise KeyboardInterrupt

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.inner = Model()
            self.metric = torchmetrics.MeanMetric()
            self.automatic_optimization = not case.manual

        def training_step(self, batch, index):
            loss = self.inner(**batch)["loss"]
            if case.manual:
                self.optimizers().zero_grad()
                self.manual_backward(loss)
                self.optimizers().step()
            if case.monitor == "train_loss":
                self.log("train_loss", loss, on_step=False, on_epoch=True)
            elif case.monitor == "metric":
                self.metric(loss)
                self.log("metric", self.metric, on_step=False, on_epoch=True)
            return loss

        def on_train_epoch_start(self):
            self.inner.scale = random.random()  # a draw at the beginning of an epoch

        def configure_optimizers(self):
            optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
            if case.schedule == "plateau":
                schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.5, threshold=0.3)
                return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "monitor": case.monitor}}
            schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "epoch" if case.schedule == "epoch" else "step"}}

    class Validated(Module):
        def validation_step(self, batch, index):
            noise = torch.randn(()) / 100  # chance of the process
            self.log("val_loss", self.inner(**batch)["loss"] + noise)

    lightning.seed_everything(1)
    options = {"max_steps": case.total, "max_epochs": -1} if case.steps else {"max_epochs": EPOCHS}
    if case.limit:
        options["limit_train_batches"] = case.limit
    if case.val == "mid":
        options["val_check_interval"] = 3
    elif case.val == "many":
        options |= {"val_check_interval": 5, "check_val_every_n_epoch": None}
    if case.minimum:
        options["min_epochs"] = EPOCHS
    ours = tidegauge.lightning.MemoryCallback(say=told.say, count_tensors=False, on_request="save_and_stop" if case.stop else "save")
    callbacks = [Watch(), ours]
    if case.exactly:
        callbacks.insert(1, tidegauge.lightning.ResumeExactly())
    if case.average:
        callbacks.append(Average())
    if case.own == "best":
        callbacks.append(Own(folder, monitor=case.monitor, save_top_k=-1 if case.is_own else 1, filename="{step}"))
    elif case.own == "steps":
        callbacks.append(Own(folder, every_n_train_steps=1, save_top_k=-1, filename="{step}"))
    elif case.own == "last":
        callbacks.append(Own(folder, save_last=True, save_on_train_epoch_end=True, filename="{step}"))
    trainer = lightning.Trainer(
        accelerator="cpu", default_root_dir=str(folder), logger=False, enable_progress_bar=False, enable_model_summary=False,
        enable_checkpointing=case.own != "none", accumulate_grad_batches=case.accumulate, callbacks=callbacks, **options,
    )  # fmt: skip
    module = Module() if case.val == "none" else Validated()
    if case.loader == "ours":
        loader = ResumableLoader(case.data(), batch_size=BATCH, seed=3, num_workers=case.workers)
    else:
        loader = torch.utils.data.DataLoader(case.data(), batch_size=BATCH, shuffle=True, num_workers=case.workers)
    validation = torch.utils.data.DataLoader(case.data(), batch_size=2 * BATCH, num_workers=0)
    trainer.fit(module, loader, validation if case.val != "none" else None)
    optimizer, *_ = trainer.optimizers
    return {
        "steps": trainer.global_step,
        "weights": digest(dict(module.state_dict())),
        "optimizer": digest(optimizer.state_dict()),
        "schedule": digest([config.scheduler.state_dict() for config in trainer.lr_scheduler_configs]),
        "average": digest([one.mean for one in callbacks if isinstance(one, Average)]),
        "epochs": trainer.current_epoch,
        "stepped": trainer.fit_loop.epoch_loop._batches_that_stepped,
        "batches": trainer.fit_loop.epoch_loop.batch_progress.total.ready,
        "dice": dice(),
    }


TRAIN = {"hf": train_with_hf, "lightning": train_with_lightning}


def in_fork(kind, case, folder, ask_at=0, resume=""):
    """(end, told) of a training in a process of its own; an end that is a text tells how it failed."""
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / "result"
    pid = os.fork()
    if pid == 0:
        told = Told()
        try:
            if resume:
                os.environ["TIDEGAUGE_RESUME"] = resume
            with open(folder / "output", "w") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            hear_of_checkpoints(told)
            end = TRAIN[kind](case, folder, ask_at, resume, told)
        except KeyboardInterrupt:
            end = {}
        except SystemExit:
            end = {}
        except BaseException:
            end = traceback.format_exc()
        result.write_bytes(pickle.dumps((end, told)))
        os._exit(0)
    os.waitpid(pid, 0)
    end, told = pickle.loads(result.read_bytes())
    result.unlink()
    return end, told


def differences(kind, case, whole, stopped, resumed):
    """In what a training that was stopped and resumed differs from one that was not."""
    for what, (end, _) in (("stopped", stopped), ("resumed", resumed)):
        if isinstance(end, str):
            return [f"{what}: {end.strip().splitlines()[-1]}"]
    (end, told), (end_again, told_again) = whole, resumed
    found = [name for name in end if end[name] != end_again.get(name)]
    if (kind == "hf" or case.is_own) and stopped[1].last == end["steps"]:
        found = [name for name in found if name != "dice"]  # nothing is left to do, so they are not put back
    if stopped[1].events[: stopped[1].saved_at] + told_again.events != told.events:
        found.append("events")
    return found


def tried(kind, case, folder, step, whole):
    """(differences, whether it was said) of asking at `step`; None where nothing was saved there."""
    stopped = in_fork(kind, case, folder / "job", step)
    if not stopped[1].path:
        return None if isinstance(stopped[0], dict) else ([f"stopped: {stopped[0].strip().splitlines()[-1]}"], False)
    if not case.stop and not case.is_own and differences(kind, case, whole, (stopped[0], Told()), stopped):
        return ["asking changed it"], False
    resumed = in_fork(kind, case, folder / "job", 0, stopped[1].path)
    found = differences(kind, case, whole, stopped, resumed)
    if case.stop and not case.is_own and isinstance(stopped[0], dict) and stopped[0]["steps"] != stopped[1].last:
        found.append(f"stopped at {stopped[0]['steps']}")
    if not any(line.startswith(f"tidegauge: resumed from {stopped[1].path}") for line in resumed[1].said):
        found.append("says nothing")
    return found, any("not bit-equal" in line for line in resumed[1].said)


def swept(kind, case, folder, steps):
    whole = in_fork(kind, case, folder / "whole")
    if isinstance(whole[0], str):
        return {"case": case.text, "failed": whole[0]}
    total = whole[0]["steps"]
    at = [step for step in steps or range(1, total + 1) if step <= total]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        results = dict(zip(at, pool.map(lambda step: tried(kind, case, folder / str(step), step, whole), at)))
    saved = {step: result for step, result in results.items() if result is not None}
    return {
        "case": case.text,
        "steps": total,
        "expected_steps": case.total,
        "saved": sorted(saved),
        "wrong": {step: found for step, (found, _) in saved.items() if found},
        "said_unequal": sorted(step for step, (_, said) in saved.items() if said),
    }


def line_of(result):
    if "failed" in result:
        return f"| {result['case']} | did not train: {result['failed'].strip().splitlines()[-1]} |"
    wrong, said = result["wrong"], set(result["said_unequal"])
    words = "; ".join(f"{step}: {', '.join(found)}{' (said)' if step in said else ''}" for step, found in wrong.items())
    equal = len(result["saved"]) - len(wrong)
    return f"| {result['case']} | {equal} of {len(result['saved'])} of {result['steps']} | {words}{'' if wrong or not said else 'said to be unequal'} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=TRAIN)
    parser.add_argument("--steps", default="")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["HF_HUB_OFFLINE"] = "1"
    torch.set_num_threads(1)
    __import__("tidegauge.hf" if options.kind == "hf" else "tidegauge.lightning")
    for name in ("lightning", "lightning.pytorch", "lightning.fabric", "pytorch_lightning", "transformers"):
        logging.getLogger(name).setLevel(logging.ERROR)
    known = {"EXACT": EXACT[options.kind], "UNEQUAL": UNEQUAL[options.kind]}
    for text in [case for word in options.cases for case in known.get(word, [word])]:
        text, _, steps = text.partition("@")
        steps = [int(step) for step in (steps or options.steps).split(",") if step]
        with tempfile.TemporaryDirectory(prefix="resumes-") as folder:
            result = swept(options.kind, Case(text), pathlib.Path(folder), steps)
        print(line_of(result) if options.table else json.dumps(result), flush=True)


if __name__ == "__main__":
    sys.exit(main())
