# SPDX-License-Identifier: Apache-2.0
"""A data set of lazily decoded images, shuffled anew each epoch: grows during the first pass only."""
import numpy
from pace import Pace

pace = Pace()
EXAMPLES = 660
PASSES = 5


class Lazy:
    def __init__(self):
        self.pixels = None

    def load(self):
        if self.pixels is None:
            self.pixels = numpy.ones(200_000, dtype=numpy.uint8)
        return self.pixels


rows = [Lazy() for _ in range(EXAMPLES)]
order = []
for _ in pace:
    for _ in range(pace.due(EXAMPLES * PASSES)):
        if not order:
            order = rows[:]
            pace.random.shuffle(order)
        order.pop().load().sum()
