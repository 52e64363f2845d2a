# SPDX-License-Identifier: Apache-2.0
"""Holds memory under names that are secrets: the texts in the JSON file of its first argument. With "grow" it grows until it is ended;
else it waits for lines, and grows a little with each."""
import json
import pathlib
import sys
import time
import types

SIZE = 1 << 20
planted = json.loads(pathlib.Path(sys.argv[1]).read_text())
cache = {"rows": []}
hidden = planted["keys"]
for key in hidden:
    cache[key] = []


class Holder:
    pass


holder = Holder()
setattr(holder, planted["attribute"], [])
Strange = type(planted["class"], (), {})
Strange.__module__ = "__main__"
module = types.ModuleType("strange")
module.kept = []
sys.modules[planted["module"]] = module
globals()[planted["variable"]] = []
lists = [*(cache[key] for key in hidden), cache["rows"], getattr(holder, planted["attribute"]), module.kept, globals()[planted["variable"]]]


def load():
    one = Strange()
    one.pixels = bytearray(SIZE)
    return one


def grow():
    for kept in lists:
        kept.append(load())


def work(obey):
    if obey:
        grow()
        print("ready", flush=True)
        for _ in sys.stdin:
            grow()
            print("grown", flush=True)
    else:
        for _ in range(600):
            grow()
            time.sleep(0.2)


# A function of a file with such a name, on the stack.
code = compile("def run(work, obey):\n    passed = bytearray(64 << 20)\n    work(obey)\n", f"/srv/{planted['file']}.py", "exec")
names = {}
exec(code, names)
names["run"](work, len(sys.argv) < 3)
