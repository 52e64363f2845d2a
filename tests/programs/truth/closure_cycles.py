# SPDX-License-Identifier: Apache-2.0
"""The same with the collector on: it fills up and is emptied."""
import numpy
from pace import Pace

pace = Pace()
ballast = numpy.ones(60 << 20, dtype=numpy.uint8)


def callback():
    buffer = numpy.ones(150_000, dtype=numpy.uint8)

    def again(depth):
        return buffer[0] if depth == 0 else again(depth - 1)

    return again


for _ in pace:
    for _ in range(pace.due(9000)):
        callback()(1)
