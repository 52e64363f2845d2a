# SPDX-License-Identifier: Apache-2.0
"""What training loops do to hooks. Each case in a process of its own, forked from one that has torch: prints what it computed,
to the last bit, and writes which process it was to pids.json."""
import copy
import io
import json
import os
import pickle
import sys
import time
import traceback

import torch
import torch._dynamo  # once, and not in each case
from torch import save  # copied names must be the hooked ones, too
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset


# A process that is gone before the gauge looks has its marks told of the tree as a whole.
SEEN_SECONDS = 0.5


def model_of(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))


def bits(value):
    return value.detach().double().sum().item().hex()


def loop(model, step, steps=30):
    batch = torch.linspace(-1, 1, 64).reshape(8, 8)
    for _ in range(steps):
        loss = model(batch).pow(2).mean()
        for parameter in model.parameters():
            parameter.grad = None
        loss.backward()
        step(loss)
    return bits(loss)


def plain():
    model = model_of()
    optimizer = torch.optim.AdamW(model.parameters())
    return loop(model, lambda loss: optimizer.step())


def closure():
    model = model_of()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
    batch = torch.linspace(-1, 1, 64).reshape(8, 8)

    def again():
        optimizer.zero_grad()
        loss = model(batch).pow(2).mean()
        loss.backward()
        return loss

    return bits([optimizer.step(again) for _ in range(30)][-1])


class Custom(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {})

    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.data.add_(parameter.grad, alpha=-0.01)


def custom_compiled_whole():
    model = model_of()
    optimizer = Custom(model.parameters())
    step = torch.compile(optimizer.step, backend="aot_eager", fullgraph=True)
    return loop(model, lambda loss: step())


def compiled_step():
    model = model_of()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    step = torch.compile(lambda: optimizer.step(), backend="aot_eager")
    return loop(model, lambda loss: step())


def compiled_and_reset():
    model = model_of()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    found = []
    for _ in range(3):
        compiled = torch.compile(model, backend="aot_eager")
        found.append(loop(compiled, lambda loss: optimizer.step(), 10))
        torch._dynamo.reset()
    return found


def evaluation_in_a_graph():
    model = model_of()

    def scored(batch):
        model.eval()
        return model(batch).sum()

    return bits(torch.compile(scored, backend="aot_eager", fullgraph=True)(torch.ones(2, 8)))


class Nested(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)


def nested():
    model = model_of()
    optimizer = Nested(model.parameters(), lr=0.01)
    return loop(model, lambda loss: optimizer.step())


def one_per_parameter():
    model = model_of()
    optimizers = [torch.optim.SGD([parameter], lr=0.01) for parameter in model.parameters()]
    return loop(model, lambda loss: [optimizer.step() for optimizer in optimizers])


def scaler_that_skips():
    model = model_of()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=1000)
    batch = torch.linspace(-1, 1, 64).reshape(8, 8)
    for i in range(30):
        loss = model(batch).pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        if i % 3 == 0:
            next(model.parameters()).grad.fill_(float("inf"))
        scaler.step(optimizer)
        scaler.update()
    return bits(loss), scaler.get_scale()


def step_that_raises():
    model = model_of()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    class Broken(torch.optim.SGD):
        def step(self, closure=None):
            raise ArithmeticError("broken")

    broken = Broken(model.parameters(), lr=0.01)

    def step(loss):
        try:
            broken.step()
        except ArithmeticError:
            optimizer.step()

    return loop(model, step)


class Fragile(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        if index == 7:
            raise LookupError("example 7 is broken")
        return torch.ones(2) * index


def data_that_raises():
    found = []
    for workers in (0, 1):  # of several it is chance which place in torch raises
        try:
            for batch in DataLoader(Fragile(), batch_size=2, num_workers=workers):
                found.append(bits(batch))
        except LookupError:
            traceback.print_exc()
    return found


class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.arange(12.0))


def loaders_of_all_kinds():
    torch.manual_seed(0)
    found = [bits(batch) for batch in DataLoader(Stream(), batch_size=5)]
    listed = DataLoader(list(range(10)), batch_size=4, shuffle=True)
    found += [batch.tolist() for _ in range(2) for batch in listed]
    found += [bits(one) for one in DataLoader(torch.arange(4.0), batch_size=None)]
    again = pickle.loads(pickle.dumps(listed))
    found += [len(again), len(list(copy.deepcopy(again)))]
    spawned = DataLoader(TensorDataset(torch.arange(8.0)), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    return found + [bits(batch) for (batch,) in spawned]


def saved():
    file = io.BytesIO()
    save(model_of().state_dict(), file)
    assert pickle.loads(pickle.dumps(torch.save)) is torch.save is save
    scripted = torch.jit.trace(model_of().eval(), torch.ones(1, 8))
    return file.tell(), bits(scripted(torch.ones(1, 8))), bits(torch.fx.symbolic_trace(model_of())(torch.ones(1, 8)))


CASES = [plain, closure, custom_compiled_whole, compiled_step, compiled_and_reset, evaluation_in_a_graph, nested, one_per_parameter,
         scaler_that_skips, step_that_raises, data_that_raises, loaders_of_all_kinds, saved]  # fmt: skip


def run(case):
    child = os.fork()
    if child == 0:
        try:
            print(case.__name__, case(), flush=True)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        sys.stderr.flush()
        time.sleep(SEEN_SECONDS)
        os._exit(0)
    return child, os.waitpid(child, 0)[1]


if __name__ == "__main__":
    torch.set_num_threads(1)
    pids = {}
    for case in CASES:
        pid, code = run(case)
        pids[case.__name__] = pid
        print(case.__name__, code, flush=True)
    with open("pids.json", "w") as file:
        json.dump(pids, file)
