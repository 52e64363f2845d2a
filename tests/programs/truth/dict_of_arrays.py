# SPDX-License-Identifier: Apache-2.0
"""Results are kept by request, each an array."""
import numpy
from pace import Pace

pace = Pace()
results = {}
for _ in pace:
    for _ in range(pace.due(1500)):
        results[len(results)] = numpy.ones(100_000, dtype=numpy.uint8)
