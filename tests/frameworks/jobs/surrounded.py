# SPDX-License-Identifier: Apache-2.0
"""A short training whose loss is printed to the last bit, in surroundings of all kinds, one after the other: surrounded.py HOW[,HOW…] [FOLDER OF PACKAGES]"""
import os
import sys

if len(sys.argv) > 2:  # python -S knows no packages
    sys.path.append(sys.argv[2])

import multiprocessing  # noqa: E402
import threading  # noqa: E402

import torch  # noqa: E402

STEPS = 60


def train(seed=0, at_half=lambda: None):
    generator = torch.Generator().manual_seed(seed)
    model = torch.nn.Linear(8, 1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.utils.data.TensorDataset(torch.randn(32, 8, generator=generator))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, generator=generator)
    step = 0
    while step < STEPS:
        for (batch,) in loader:
            loss = model(batch).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step == STEPS // 2:
                at_half()
    return loss.item().hex()


def plain():
    print(train())


def children(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        print(pool.map(train, [1, 2]))


def forks_among_threads():
    found = {}
    threads = [threading.Thread(target=lambda seed=seed: found.update({seed: train(seed)})) for seed in range(2)]
    for thread in threads:
        thread.start()
    codes = []
    for _ in range(5):
        child = os.fork()
        if child == 0:
            os._exit(3)
        codes.append(os.waitpid(child, 0)[1])
    for thread in threads:
        thread.join()
    print(sorted(found.items()), codes)


def sub_interpreter():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    first = train()  # while there is another interpreter torch refuses to train, without us too
    other = interpreters.create()
    interpreters.run_string(other, "import sys, time, json; print(sum(range(10)))")
    interpreters.destroy(other)
    print(first)


def waits():
    def at_half():
        print("half", flush=True)
        sys.stdin.readline()

    print(train(at_half=at_half), flush=True)


def clean_children():
    import subprocess

    for environment in ({}, {"PYTHONPATH": "/nowhere"}, {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}):
        done = subprocess.run([sys.executable, __file__, "plain"], env=environment, capture_output=True, text=True)
        print(done.stdout, done.stderr, done.returncode)


if __name__ == "__main__":
    torch.set_num_threads(1)
    ways = {"plain": plain, "spawn": lambda: children("spawn"), "forkserver": lambda: children("forkserver"), "threads": forks_among_threads,
            "sub_interpreter": sub_interpreter, "waits": waits, "clean_children": clean_children}  # fmt: skip
    for how in sys.argv[1].split(","):
        ways[how]()
    sys.exit(7)
