# SPDX-License-Identifier: Apache-2.0
"""The job whose memory grew to 17 GB, at a fortieth of its size: 663 lazily opened images, held in a list, HF Trainer, batch 2 x
accumulation 4. Each image keeps its pixels from the first time it is read; nothing grows after the first pass.

    incident.py FOLDER [--workers N] [--epochs N]
"""
import argparse
import io

import torch
from PIL import Image
from transformers import Trainer, TrainingArguments

EXAMPLES = 663
SIZE = (410, 430)  # a fortieth of the pixels of 2600 x 2700: 0.7 MB each, at 4 bytes a pixel
FILES = 16  # many images of one file are as many images


def encoded():
    """JPEGs in memory: forked workers would share the place in an open file."""
    files = []
    for i in range(FILES):
        file = io.BytesIO()
        Image.effect_noise(SIZE, 20 + i).convert("RGB").save(file, "JPEG", quality=60)
        files.append(file.getvalue())
    return files


class Lazy(torch.utils.data.Dataset):
    def __init__(self, files):
        self.rows = [
            {"image": Image.open(io.BytesIO(files[i % len(files)])), "label": i % 2} for i in range(EXAMPLES)
        ]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        image = self.rows[index]["image"]
        image.load()
        small = torch.frombuffer(bytearray(image.crop((0, 0, 16, 16)).tobytes()), dtype=torch.uint8)
        return {"pixels": small.float() / 255, "labels": self.rows[index]["label"]}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(768, 3072), torch.nn.ReLU(), torch.nn.Linear(3072, 2))

    def forward(self, pixels, labels):
        logits = self.layers(pixels)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


def options_of():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=4)
    return parser.parse_args()


if __name__ == "__main__":
    options = options_of()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    arguments = TrainingArguments(
        output_dir=options.folder, per_device_train_batch_size=2, gradient_accumulation_steps=4,
        num_train_epochs=options.epochs, save_strategy="no", report_to=[], use_cpu=True, logging_steps=1000,
        disable_tqdm=True, seed=0, dataloader_num_workers=options.workers,
        dataloader_persistent_workers=options.workers > 0, remove_unused_columns=False,
    )  # fmt: skip
    trainer = Trainer(Model(), arguments, train_dataset=Lazy(encoded()))
    print(f"{trainer.train().training_loss:.9f}")
