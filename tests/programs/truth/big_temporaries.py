# SPDX-License-Identifier: Apache-2.0
"""Arrays that live for one expression, now and then."""
import time

import numpy
from pace import Pace

pace = Pace()
weights = numpy.ones((3000, 3000))
for _ in pace:
    for _ in range(pace.due(12)):
        large = numpy.concatenate([weights, weights, weights]) * 2.0
        time.sleep(pace.seconds / 70)
        del large
