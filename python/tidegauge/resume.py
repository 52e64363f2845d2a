# SPDX-License-Identifier: Apache-2.0
"""What a loop needs to go on from a checkpoint as if it had never stopped, besides weights and optimizer: the state of the random
generators, and the place in the data.

    loader = ResumableLoader(dataset, batch_size=8, seed=1)     # in the place of DataLoader(dataset, batch_size=8, shuffle=True)
    state = {"random": random_state(), "data": loader.state_dict(), …}
    …
    loader.load_state_dict(state["data"])
    restore_random_state(state["random"])                       # right before the first step: making an iterator draws a number

tidegauge.lightning.ResumeExactly does the same for Lightning, which keeps neither.
"""
from __future__ import annotations

import hashlib
import random
import sys
from typing import Any, Iterator

import torch
from torch.utils.data import DataLoader, Dataset, Sampler


def random_state() -> dict:
    """The random generators of Python, torch (with all GPUs) and numpy, as plain values and tensors."""
    state: dict = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        state["cuda"] = torch.cuda.get_rng_state_all()
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        name, keys, *rest = numpy.random.get_state()
        state["numpy"] = (name, keys.tolist(), *rest)
    return state


def restore_random_state(state: dict) -> None:
    version, keys, gauss = state["python"]
    random.setstate((version, tuple(keys), gauss))
    torch.set_rng_state(state["torch"])
    if "cuda" in state and torch.cuda.is_available() and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(state["cuda"])
    if "numpy" in state:
        import numpy

        numpy.random.set_state(tuple(state["numpy"]))


class SeededByIndex(Dataset):
    """A data set whose examples are made by chance, and are the same after a resume: while one is made, the random generators of Python,
    numpy and torch depend on seed, epoch and index alone; then they are put back.

        data = SeededByIndex(AugmentedImages(), seed=1)

    The epoch is set by ResumableLoader, and by MemoryCallback for transformers' Trainer; a loop of your own calls set_epoch(). Workers see it, too.
    """

    def __init__(self, dataset: Any, seed: int = 0) -> None:
        self.dataset, self.seed = dataset, seed
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # for workers that live on

    def set_epoch(self, epoch: int) -> None:
        self._epoch.fill_(int(epoch))

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: Any) -> Any:
        name = f"{self.seed} {int(self._epoch)} {index}".encode()
        number = int.from_bytes(hashlib.sha256(name).digest()[:8], "little")
        numpy: Any = sys.modules.get("numpy")
        kept = random.getstate(), torch.get_rng_state(), numpy.random.get_state() if numpy is not None else None
        try:
            random.seed(number)
            torch.random.default_generator.manual_seed(number >> 1)  # not those of the GPUs
            if numpy is not None:
                numpy.random.seed(number & 0xFFFFFFFF)
            return self.dataset[index]
        finally:
            random.setstate(kept[0])
            torch.set_rng_state(kept[1])
            if numpy is not None:
                numpy.random.set_state(kept[2])


class _Order(Sampler):
    """A permutation that depends on seed and epoch alone, from any place on."""

    def __init__(self, size: int, seed: int, shuffle: bool) -> None:
        self.size, self.seed, self.shuffle = size, seed, shuffle
        self.epoch = self.skip = 0

    def __len__(self) -> int:
        return self.size  # of a whole pass, wherever it begins

    def __iter__(self) -> Iterator[int]:
        if not self.shuffle:
            return iter(range(self.skip, self.size))
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
        return iter(torch.randperm(self.size, generator=generator).tolist()[self.skip :])


class ResumableLoader(DataLoader):
    """A DataLoader of a data set with a length that knows where it is: state_dict(), load_state_dict().

    Batches are counted when the loop gets them, not when a worker loads them. Persistent workers are left out: they would load on
    from where they were. Examples that are made by chance in workers are other ones after a resume, unless the data set is wrapped in
    SeededByIndex.
    """

    def __init__(self, dataset: Any, batch_size: int = 1, shuffle: bool = True, seed: int = 0, **options: Any) -> None:
        if options.get("persistent_workers") or options.get("sampler") is not None or options.get("batch_sampler") is not None:
            raise ValueError("a ResumableLoader has an order of its own, and no persistent workers")
        super().__init__(dataset, batch_size=batch_size, sampler=_Order(len(dataset), seed, shuffle), **options)
        self._epoch = 0  # of the next or current pass
        self._given = 0  # batches of it
        self._is_begun = False  # this pass, here: who iterates again has broken it off

    def __iter__(self) -> Any:
        if self._is_begun and self._given:
            self._epoch, self._given = self._epoch + 1, 0
        self._is_begun = True
        order = self.sampler
        order.epoch, order.skip = self._epoch, self._given * (self.batch_size or 1)
        if hasattr(self.dataset, "set_epoch"):
            self.dataset.set_epoch(self._epoch)
        return self._counted(super().__iter__(), self._given)

    def _counted(self, batches: Any, given: int) -> Iterator[Any]:
        for batch in batches:
            given += 1
            self._given = given
            if given == len(self):  # who stops asking now has seen all
                self._epoch, self._given = self._epoch + 1, 0
            yield batch

    def state_dict(self) -> dict:
        return {"epoch": self._epoch, "given": self._given}

    def load_state_dict(self, state: dict) -> None:
        self._epoch, self._given, self._is_begun = state["epoch"], state["given"], False
