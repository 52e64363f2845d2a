# SPDX-License-Identifier: Apache-2.0
"""New patterns all the time; the cache of `re` holds 512 of them and no more."""
import re

from pace import Pace

pace = Pace()
for _ in pace:
    for _ in range(pace.due(9000)):
        number = pace.random.getrandbits(40)
        re.match(f"(a|b)*{number}(x{{2,50}}|y+)?[a-z]+(?:{number}|c)*", "abba")
