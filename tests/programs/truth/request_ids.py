# SPDX-License-Identifier: Apache-2.0
"""A dictionary of every request ever seen, to tell repeated ones: small objects, for ever."""
from pace import Pace

pace = Pace()
seen = {}
for _ in pace:
    for _ in range(pace.due(400_000)):
        seen[f"request-{pace.random.getrandbits(64):016x}"] = pace.tick
