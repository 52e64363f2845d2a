# SPDX-License-Identifier: Apache-2.0
"""A training with dropout, shuffling and a schedule that listens for requests, and prints its weights at the end.

    asked.py hf|lightning whole|asked|leaks|terminated|resume FOLDER [CHECKPOINT]

`whole`: says what it held at most, too. `asked`: stands still before step 8 until somebody has asked for a checkpoint. `leaks`: 16 MiB a step; says nothing of checkpoints, so
that a next life has to find its own by itself. `terminated` (Lightning): stands still until SIGTERM has come.
"""
import hashlib
import logging
import os
import signal
import sys
import time
import warnings

import torch
from small_training import BATCH, EPOCHS, AugmentedData, Model

from tidegauge import _marks

STANDS_STILL_AT = 7
LEAK = 16 << 20
KIND, WHAT, FOLDER, *CHECKPOINT = sys.argv[1:]
pile = []


def stand_still(step):
    if WHAT == "leaks":
        pile.append(b"x" * LEAK)
        time.sleep(0.05)
    if WHAT == "asked" and step == STANDS_STILL_AT:
        print("ready", flush=True)
        while _marks._ring["asked"]() == 0:  # a number in memory that others write to, and tell nobody
            time.sleep(0.01)


def quiet(line):
    if "resumed" in line or "not done" in line:
        print(line, flush=True)


def peak_mib():
    """Of this program. What wait4 tells of a child begins with what its parent held when it started it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) // 1024


# Each imports its own framework alone: that takes longer than the training.


def with_hf():
    import transformers

    import tidegauge.hf
    from tidegauge.resume import SeededByIndex

    class Slow(transformers.TrainerCallback):
        def on_step_begin(self, args, state, control, **kwargs):
            stand_still(state.global_step)

    transformers.set_seed(1)
    arguments = transformers.TrainingArguments(
        output_dir=FOLDER, num_train_epochs=EPOCHS, per_device_train_batch_size=BATCH, report_to=[], use_cpu=True,
        disable_tqdm=True, save_strategy="no", logging_strategy="no", lr_scheduler_type="cosine",
    )  # fmt: skip
    trainer = transformers.Trainer(
        model=Model(), args=arguments, train_dataset=SeededByIndex(AugmentedData(), seed=5), callbacks=[Slow(), tidegauge.hf.MemoryCallback(say=quiet)]
    )
    trainer.train(resume_from_checkpoint=CHECKPOINT[0] if CHECKPOINT else None)
    return trainer.state.global_step, trainer.model


def with_lightning():
    import lightning.pytorch as lightning

    import tidegauge.lightning
    from tidegauge.resume import ResumableLoader, SeededByIndex

    class Slow(lightning.Callback):
        def on_train_batch_start(self, trainer, module, batch, index):
            stand_still(trainer.global_step)
            if WHAT == "terminated" and trainer.global_step == STANDS_STILL_AT:
                told, tells = os.pipe()
                os.set_blocking(tells, False)
                signal.set_wakeup_fd(tells)
                print("ready", flush=True)
                while not trainer.received_sigterm:
                    os.read(told, 1)

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.inner = Model()

        def training_step(self, batch, index):
            return self.inner(**batch)["loss"]

        def configure_optimizers(self):
            optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
            return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)}

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    lightning.seed_everything(1, verbose=False)
    trainer = lightning.Trainer(
        max_epochs=EPOCHS, accelerator="cpu", default_root_dir=FOLDER, logger=False, enable_progress_bar=False,
        enable_model_summary=False, enable_checkpointing=False,
        callbacks=[Slow(), tidegauge.lightning.ResumeExactly(), tidegauge.lightning.MemoryCallback(say=quiet)],
    )  # fmt: skip
    module = Module()
    trainer.fit(module, ResumableLoader(SeededByIndex(AugmentedData(), seed=5), batch_size=BATCH, seed=3), ckpt_path=CHECKPOINT[0] if CHECKPOINT else None)
    return trainer.global_step, module


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    steps, model = with_hf() if KIND == "hf" else with_lightning()
    weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
    if WHAT == "whole":
        print("peak_mib", peak_mib())
    print("end", steps, hashlib.sha256(weights).hexdigest(), flush=True)
