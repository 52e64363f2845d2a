# SPDX-License-Identifier: Apache-2.0
"""The same job with one thing changed: what the five documents suspected, made true one at a time.

    collator         the data collator keeps the tensors that it makes      a leak, per step
    total_loss       total += loss, without .item(): every graph is kept    a leak, per step
    eval_leak        each evaluation keeps its predictions                  a leak, per evaluation
    augment_cache    augmented pictures are cached without a bound          a leak, per step
    second_data_set  another data set in the second half                    a second warm-up
"""
import random

import torch
from transformers import Trainer, default_data_collator

NAMES = ("as_it_was", "collator", "total_loss", "eval_leak", "augment_cache", "second_data_set")

KEPT_BATCHES = []


def collate_and_keep(rows: list) -> dict:
    batch = default_data_collator(rows)
    KEPT_BATCHES.append(batch)
    return batch


class TotalsLosses(Trainer):
    """Wants to log an average at the end."""

    total = torch.zeros(())

    def compute_loss(self, model, inputs, return_outputs=False, **others):
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True, **others)
        if model.training:
            self.total = self.total.to(loss.device) + outputs["hidden"].pow(2).mean()  # .item() is missing
        return (loss, outputs) if return_outputs else loss


class KeepsPredictions(Trainer):
    """Wants to compare evaluations later."""

    def __init__(self, *words, **named):
        super().__init__(*words, **named)
        self.predictions_so_far = []

    def evaluation_loop(self, *words, **named):
        output = super().evaluation_loop(*words, **named)
        self.predictions_so_far.append(output.predictions)
        return output


class CachesAugmented(torch.utils.data.Dataset):
    """Turned and mirrored anew each time, and every one of them kept for later."""

    def __init__(self, data):
        self.data, self.cache, self.dice = data, {}, random.Random(0)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> dict:
        key = (index, self.dice.randrange(100_000))
        if key not in self.cache:
            example = self.data[index]
            self.cache[key] = {**example, "pixels": example["pixels"].roll(key[1], dims=2).clone()}
        return self.cache[key]


def trainer_of(variant: str) -> type:
    return {"total_loss": TotalsLosses, "eval_leak": KeepsPredictions}.get(variant, Trainer)
