# SPDX-License-Identifier: Apache-2.0
"""`total += loss` instead of `total += loss.item()`: every step's graph stays alive."""
import sys
import time

import torch

STEP_SECONDS = 0.025  # at least, so that a census finds it at work on a fast machine, too

if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = torch.utils.data.DataLoader(torch.randn(2048, 512), batch_size=256, shuffle=True)
    total = torch.zeros(())
    begun, steps = time.monotonic(), 0
    for epoch in range(int(sys.argv[1])):
        for batch in loader:
            loss = model(batch).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total = total + model(batch).abs().mean()  # a metric for the log: ought to be .item()
            steps += 1
            time.sleep(max(0.0, begun + steps * STEP_SECONDS - time.monotonic()))
    print(f"{total.item():.6f}")
