# SPDX-License-Identifier: Apache-2.0
"""A data collator that keeps what it has collated: a true leak, at so many bytes a step."""
import sys

import torch
from transformers import Trainer, TrainingArguments

KEPT = []
WIDTH = 1 << 15


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def forward(self, values):
        return {"loss": self.layer(values[:, :64]).pow(2).mean()}


def collate(rows):
    batch = torch.stack([torch.full((WIDTH,), float(row)) for row in rows])
    KEPT.append(batch)  # 4 rows of 128 KiB
    return {"values": batch}


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    arguments = TrainingArguments(
        output_dir=sys.argv[1], per_device_train_batch_size=4, max_steps=int(sys.argv[2]), save_strategy="no", report_to=[],
        use_cpu=True, logging_steps=1000, disable_tqdm=True, seed=0, remove_unused_columns=False,
    )  # fmt: skip
    Trainer(Model(), arguments, train_dataset=list(range(120)), data_collator=collate).train()
    print(len(KEPT))
