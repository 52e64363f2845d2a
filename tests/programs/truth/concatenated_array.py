# SPDX-License-Identifier: Apache-2.0
"""All losses so far in one array, made anew and one longer each time: a leak that spikes as it copies."""
import numpy
from pace import Pace

pace = Pace()
losses = numpy.zeros(0)
for _ in pace:
    for _ in range(pace.due(300)):
        losses = numpy.concatenate([losses, numpy.ones(50_000)])
