# SPDX-License-Identifier: Apache-2.0
"""The incident's job, scaled: transformers' Trainer over 663 lazily opened JPEGs that its data set holds in a list.

    remedy_job.py FOLDER REMEDY OUT.json [WIDTH HEIGHT]        REMEDY: none, cleanup, on_demand, cached

FOLDER keeps the images from one run to the next. Memory (private, of this process) and processor time are noted at every step.
"""
import json
import os
import pathlib
import sys
import time

import torch
from PIL import Image
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed

EXAMPLES, EPOCHS = 663, 3
SIZE = tuple(map(int, sys.argv[4:6])) or (820, 860)  # a tenth of the incident's pixels: 2.8 MB each, 1.9 GB in all
FILES = 16  # many images of one file are as many images
CACHE = "500MB"


def pictures(folder):
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{n}.jpg" for n in range(EXAMPLES)]
    for n, path in enumerate(paths):
        if path.exists():
            continue
        if n < FILES:
            Image.effect_noise(SIZE, 20 + n).convert("RGB").save(path, "JPEG", quality=60)
        else:
            os.link(paths[n % FILES], path)
    return paths


class Lazy(torch.utils.data.Dataset):
    def __init__(self, paths):
        self.rows = [{"image": Image.open(path), "label": n % 2} for n, path in enumerate(paths)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        pixels = torch.frombuffer(bytearray(row["image"].resize((64, 64)).tobytes()), dtype=torch.uint8)
        return {"pixels": pixels.view(64, 64, 3).permute(2, 0, 1) / 255, "labels": row["label"]}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 32, 5, stride=2), torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 5, stride=2), torch.nn.ReLU(),
            torch.nn.Flatten(), torch.nn.Linear(64 * 13 * 13, 2),
        )  # fmt: skip

    def forward(self, pixels, labels):
        return {"loss": torch.nn.functional.cross_entropy(self.layers(pixels), labels)}


class Notes(TrainerCallback):
    def __init__(self):
        self.rows = []

    def on_step_end(self, args, state, control, **kwargs):
        with open("/proc/self/statm") as file:
            pages = list(map(int, file.read().split()))
        private = (pages[1] - pages[2]) * os.sysconf("SC_PAGE_SIZE")
        self.rows.append((state.global_step, time.process_time(), private))  # one thread: a busy machine does not matter


def main():
    folder, remedy, out = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    torch.set_num_threads(1)
    set_seed(0)
    dataset, notes = Lazy(pictures(folder)), Notes()
    callbacks, report = [notes], []
    if remedy in ("on_demand", "cached"):
        from tidegauge.images import open_on_demand

        dataset = open_on_demand(dataset, cache=CACHE if remedy == "cached" else 0)  # the whole change
    if remedy == "cleanup":
        from tidegauge.hf import CleanupCallback

        callbacks.append(CleanupCallback(every=10, say=report.append))
    arguments = TrainingArguments(
        output_dir=str(folder / "out"), per_device_train_batch_size=2, gradient_accumulation_steps=4, num_train_epochs=EPOCHS,
        save_strategy="no", report_to=[], use_cpu=True, logging_steps=1000, disable_tqdm=True, seed=0,
    )  # fmt: skip
    result = Trainer(Model(), arguments, train_dataset=dataset, callbacks=callbacks).train()
    pathlib.Path(out).write_text(json.dumps({"loss": result.training_loss, "rows": notes.rows, "report": report}))


if __name__ == "__main__":
    main()
