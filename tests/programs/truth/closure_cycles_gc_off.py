# SPDX-License-Identifier: Apache-2.0
"""Closures that refer to themselves, with the collector switched off for speed: nothing frees them."""
import gc

import numpy
from pace import Pace

gc.disable()
pace = Pace()


def callback():
    buffer = numpy.ones(60_000, dtype=numpy.uint8)

    def again(depth):
        return buffer[0] if depth == 0 else again(depth - 1)

    return again


for _ in pace:
    for _ in range(pace.due(2000)):
        callback()(1)
