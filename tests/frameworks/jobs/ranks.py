# SPDX-License-Identifier: Apache-2.0
"""A training of one or several ranks on the CPU, for a launcher: ranks.py ddp|accelerate|deepspeed. Each rank writes what it computed,
to the last bit, to rank-N.json, and waits to be seen."""
import json
import os
import sys
import time
import warnings

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

SEEN_SECONDS = 0.5  # a process that is gone before the gauge looks has its marks told of the tree as a whole
EXAMPLES, BATCH, EPOCHS = 64, 4, 3
DATA = TensorDataset(torch.linspace(-1, 1, EXAMPLES * 8).reshape(EXAMPLES, 8))


def network():
    torch.manual_seed(0)
    return torch.nn.Linear(8, 1)


def ddp():
    torch.distributed.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(network())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    sampler = DistributedSampler(DATA, shuffle=True)
    loader = DataLoader(DATA, batch_size=BATCH, sampler=sampler)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for (batch,) in loader:
            loss = model(batch).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss


def with_accelerate():
    import accelerate

    accelerator = accelerate.Accelerator(cpu=True)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(DATA, batch_size=BATCH, shuffle=True))
    for _ in range(EPOCHS):
        for (batch,) in loader:
            loss = model(batch).pow(2).mean()
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
    return loss


def with_deepspeed():
    import deepspeed

    model = network()
    engine, _, loader, _ = deepspeed.initialize(
        model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.01), training_data=DATA,
        config={"train_micro_batch_size_per_gpu": BATCH, "gradient_accumulation_steps": 2, "zero_optimization": {"stage": 1},
                "zero_allow_untested_optimizer": True},
    )  # fmt: skip
    for _ in range(EPOCHS):
        for (batch,) in loader:
            loss = engine(batch).pow(2).mean()
            engine.backward(loss)
            engine.step()
    return loss


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    loss = {"ddp": ddp, "accelerate": with_accelerate, "deepspeed": with_deepspeed}[sys.argv[1]]()
    rank = int(os.environ.get("RANK", 0))
    with open(f"rank-{rank}.json", "w") as file:
        json.dump({"pid": os.getpid(), "loss": loss.item().hex()}, file)
    time.sleep(SEEN_SECONDS)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
