# SPDX-License-Identifier: Apache-2.0
"""Tensors, arrays, images and a graph for the backward pass: says what there is as JSON, counted from inside, and waits for a line."""
import collections
import gc
import json
import sys

import numpy
import torch
from PIL import Image

torch.manual_seed(0)
torch.set_num_threads(1)


class Step(torch.autograd.Function):
    """One that is written in Python, and saves a tensor that nothing else holds."""

    @staticmethod
    def forward(ctx, x):
        kept = x * 2
        ctx.save_for_backward(kept)
        return kept.sum()

    @staticmethod
    def backward(ctx, grad):
        (kept,) = ctx.saved_tensors
        return grad * kept


def make_tensors():
    base = torch.zeros(100, 30)
    return {
        "types": [torch.zeros(7, 11, dtype=kind) for kind in (torch.uint8, torch.int16, torch.float16, torch.bfloat16, torch.float64, torch.bool)],
        "views": [base, base[3], base.t(), base.reshape(-1)],
        "dims": [torch.zeros(1, 2, 3, 1, 2, 3), torch.zeros(()), torch.zeros(0, 5)],
        "leaf": torch.zeros(13, 17, requires_grad=True),
        "frozen": torch.nn.Parameter(torch.zeros(19, 3), requires_grad=False),
        "complex": torch.zeros(5, dtype=torch.complex64),
    }


def make_arrays():
    base = numpy.zeros((40, 50), dtype=numpy.float32)
    return [base, base[1:], base.T, numpy.arange(1000), numpy.zeros(3, dtype="U7"), numpy.asfortranarray(base), numpy.zeros((2, 3, 4), dtype=bool)]


def make_images():
    return [Image.new(mode, size) for mode in ("RGB", "L", "RGBA", "F", "I") for size in ((31, 17), (1, 1), (640, 480))]


def nodes_of(tensor):
    """Of the graph that hangs on it."""
    seen, left = set(), [tensor.grad_fn]
    while left:
        node = left.pop()
        if node is not None and node not in seen:
            seen.add(node)
            left += [one for one, _ in node.next_functions]
    return len(seen)


def tensors_here():
    """By what a census groups them: how many there are, and the bytes of their storages, each once."""
    groups, storages = collections.defaultdict(lambda: [0, 0]), set()
    for one in gc.get_objects():
        if not isinstance(one, torch.Tensor):
            continue
        storage = one.untyped_storage()
        new = storage.data_ptr() not in storages or storage.nbytes() == 0
        storages.add(storage.data_ptr())
        kind = (str(one.dtype).removeprefix("torch."), str(list(one.shape)), one.requires_grad, one.grad_fn is not None)
        groups[kind][0] += 1
        groups[kind][1] += storage.nbytes() if new else 0
    return sum(bytes for _, bytes in groups.values()), [[*kind, count] for kind, (count, _) in groups.items()]


def main():
    tensors, arrays, images = make_tensors(), make_arrays(), make_images()
    layer = torch.nn.Linear(64, 32)
    total = 0
    for _ in range(200):
        total = total + layer(torch.randn(16, 64)).relu().pow(2).mean() + Step.apply(layer.weight)
    (layer(torch.ones(2, 64)).sum()).backward()
    nodes = nodes_of(total)
    gc.collect()
    storage_bytes, groups = tensors_here()
    truth = {
        "nodes": nodes,
        "storage_bytes": storage_bytes,
        "gradient_bytes": layer.weight.nbytes + layer.bias.nbytes,  # for which there are no Python objects
        "tensors": groups,
        "arrays": sum(one.nbytes for one in arrays if one.flags.owndata),
        "pixels": sum(one.height * (one.width * (1 if one.mode == "L" else 4) + 8) for one in images),  # and a pointer a line
        "images": len(images),
    }
    print(json.dumps(truth), flush=True)
    sys.stdin.readline()
    return tensors, total


main()
