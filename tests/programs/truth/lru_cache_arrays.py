# SPDX-License-Identifier: Apache-2.0
"""functools.lru_cache around something large: full after a third of the run."""
import functools

import numpy
from pace import Pace

pace = Pace()


@functools.lru_cache(maxsize=700)
def features(_):
    return numpy.ones(150_000, dtype=numpy.uint8)


for _ in pace:
    for _ in range(pace.due(2600)):
        features(pace.random.randrange(20_000))
