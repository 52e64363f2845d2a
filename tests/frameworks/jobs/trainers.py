# SPDX-License-Identifier: Apache-2.0
"""Small trainings with each of the frameworks, each in a process of its own, forked from one that has imported them all; which
process it was is in pids.json."""
import json
import logging
import os
import time
import traceback
import warnings

import accelerate
import lightning
import torch
import transformers
from torch.utils.data import DataLoader, TensorDataset

# A process that is gone before the gauge looks has its marks told of the tree as a whole.
SEEN_SECONDS = 0.5
TRAIN, HELD_OUT = 64, 100  # more are held out than trained on, which must not mislead anybody


def data(size):
    return TensorDataset(torch.linspace(-1, 1, size * 8).reshape(size, 8))


def network():
    torch.manual_seed(0)
    return torch.nn.Linear(8, 1)


class Lit(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = network()

    def training_step(self, batch, number):
        return self.network(batch[0]).pow(2).mean()

    def validation_step(self, batch, number):
        self.network(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def with_lightning():
    trainer = lightning.Trainer(
        max_epochs=3, accumulate_grad_batches=2, accelerator="cpu", logger=False, enable_progress_bar=False,
        enable_model_summary=False, default_root_dir="lit", num_sanity_val_steps=2,
    )  # fmt: skip
    trainer.fit(Lit(), DataLoader(data(TRAIN), batch_size=4), DataLoader(data(HELD_OUT), batch_size=4))


def with_accelerate():
    accelerator = accelerate.Accelerator(gradient_accumulation_steps=4, cpu=True)
    model = network()
    loader = DataLoader(data(40), batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), loader)
    for _ in range(2):
        for (batch,) in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch).pow(2).mean())
                optimizer.step()
                optimizer.zero_grad()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = network()

    def forward(self, values):
        return {"loss": self.network(values).pow(2).mean()}


def with_hf_trainer():
    arguments = transformers.TrainingArguments(
        output_dir="hf", per_device_train_batch_size=4, max_steps=20, eval_strategy="steps", eval_steps=5, save_steps=10,
        report_to=[], use_cpu=True, logging_steps=1000, disable_tqdm=True, remove_unused_columns=False,
    )  # fmt: skip
    rows = [[{"values": values} for (values,) in data(size)] for size in (TRAIN, HELD_OUT)]
    transformers.Trainer(Model(), arguments, train_dataset=rows[0], eval_dataset=rows[1]).train()


def with_nothing():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    train = DataLoader(data(TRAIN), batch_size=4, shuffle=True, num_workers=0)
    held_out = DataLoader(data(HELD_OUT), batch_size=4)
    for _ in range(3):
        for number, (batch,) in enumerate(train):
            model(batch).pow(2).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            if number % 4 == 3:
                model.eval()
                with torch.no_grad():
                    for (other,) in held_out:
                        model(other)
                model.train()
        torch.save(model.state_dict(), "checkpoint.pt")


def inference():
    model = network().eval()
    with torch.no_grad():
        for _ in range(2):
            for (batch,) in DataLoader(data(HELD_OUT), batch_size=2):
                model(batch)


CASES = [with_lightning, with_accelerate, with_hf_trainer, with_nothing, inference]


def run(case):
    child = os.fork()
    if child == 0:
        try:
            case()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        time.sleep(SEEN_SECONDS)
        os._exit(0)
    return child, os.waitpid(child, 0)[1]


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    ran = {case.__name__: run(case) for case in CASES}
    print(json.dumps({name: code for name, (_, code) in ran.items()}))
    with open("pids.json", "w") as file:
        json.dump({name: pid for name, (pid, _) in ran.items()}, file)
