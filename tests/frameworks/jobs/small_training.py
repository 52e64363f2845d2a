# SPDX-License-Identifier: Apache-2.0
"""What the smallest training needs: examples in order, and a model with a dropout, so that the state of the dice matters."""
import random

import torch

EXAMPLES, BATCH, EPOCHS = 48, 2, 2


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return EXAMPLES

    def __getitem__(self, n):
        x = torch.full((8,), n / EXAMPLES)
        return {"x": x, "labels": x.sum()}


class AugmentedData(Data):
    """With something of chance in each, by two generators."""

    def __getitem__(self, n):
        example = super().__getitem__(n)
        return {"x": example["x"] + random.gauss(0, 0.01) + torch.randn(8) / 100, "labels": example["labels"]}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.1), torch.nn.Linear(16, 1))

    def forward(self, x, labels):
        return {"loss": ((self.layer(x).squeeze(-1) - labels) ** 2).mean()}
