# SPDX-License-Identifier: Apache-2.0
"""Objects are registered weakly and die with their users."""
import weakref

import numpy
from pace import Pace

pace = Pace()
registry = weakref.WeakValueDictionary()


class Session:
    def __init__(self):
        self.buffer = numpy.ones(400_000, dtype=numpy.uint8)


alive = []
for _ in pace:
    for _ in range(pace.due(6000)):
        session = Session()
        registry[id(session)] = session
        alive.append(session)
        if len(alive) > 200:
            alive.pop(pace.random.randrange(len(alive)))
