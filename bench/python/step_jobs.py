#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training loops that time their own steps: step_jobs.py loop|loader|trainer prints the median in microseconds."""
import statistics
import sys
import tempfile
import time

import torch


def microseconds(times):
    steps = [(after - before) / 1000 for before, after in zip(times, times[1:])]
    return statistics.median(steps[len(steps) // 10 :])  # the first ones warm up


def loop():
    weights = torch.nn.Parameter(torch.ones(8))
    optimizer = torch.optim.SGD([weights], lr=0.01)
    times = []
    for _ in range(6000):
        loss = weights.pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        times.append(time.perf_counter_ns())
    return microseconds(times)


def loader():
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(800, 64)), batch_size=8, shuffle=True)
    times = []
    for _ in range(25):
        for (batch,) in batches:
            loss = model(batch).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            times.append(time.perf_counter_ns())
    return microseconds(times)


def trainer():
    from transformers import Trainer, TrainerCallback, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 64)

        def forward(self, values):
            return {"loss": self.layer(values).pow(2).mean()}

    class Times(TrainerCallback):
        def __init__(self):
            self.times = []

        def on_step_end(self, args, state, control, **more):
            self.times.append(time.perf_counter_ns())

    callback = Times()
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder, per_device_train_batch_size=2, gradient_accumulation_steps=2, max_steps=400, save_strategy="no",
            report_to=[], use_cpu=True, logging_steps=10_000, disable_tqdm=True, remove_unused_columns=False,
        )  # fmt: skip
        Trainer(Model(), arguments, train_dataset=[{"values": torch.ones(64)}] * 500, callbacks=[callback]).train()
    return microseconds(callback.times)


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"{ {'loop': loop, 'loader': loader, 'trainer': trainer}[sys.argv[1]]():.3f}")
