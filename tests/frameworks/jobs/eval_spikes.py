# SPDX-License-Identifier: Apache-2.0
"""A plain loop that evaluates now and then, and needs much memory for that: spikes, nothing else."""
import sys
import time

import torch

# What a larger model would take, without the work.
STEP_SECONDS = 0.005
EVALUATION_SECONDS = 0.3

if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 8))
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.utils.data.TensorDataset(torch.randn(256, 512))
    loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
    held_out = torch.randn(40_000, 512)
    for epoch in range(int(sys.argv[1])):
        for (batch,) in loader:
            loss = model(batch).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(STEP_SECONDS)
        if epoch % 10 == 9:
            model.eval()
            with torch.no_grad():
                kept = [held_out + shift for shift in range(2)]  # 80 MB each
                float(sum(model(part[:100]).sum() for part in kept))
                time.sleep(EVALUATION_SECONDS)
                del kept
            model.train()
    print(f"{loss.item():.9f}")
