# SPDX-License-Identifier: Apache-2.0
"""A small model of the kind: a picture in, a row of words out."""
import torch

SIDE = 128  # pixels of the picture that the model sees
PATCH = 8
TOKENS = (SIDE // PATCH) ** 2
WORDS = 4096
WIDTH = 256


class Captioner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = torch.nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.body = torch.nn.Sequential(
            torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, 2 * WIDTH), torch.nn.GELU(), torch.nn.Linear(2 * WIDTH, WIDTH)
        )
        self.head = torch.nn.Linear(WIDTH, WORDS)

    def forward(self, pixels: torch.Tensor, labels: torch.Tensor) -> dict:
        hidden = self.patches(pixels).flatten(2).transpose(1, 2)
        hidden = hidden + self.body(hidden)
        logits = self.head(hidden)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return {"loss": loss, "logits": logits, "hidden": hidden}
