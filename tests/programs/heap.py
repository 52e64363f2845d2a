# SPDX-License-Identifier: Apache-2.0
"""A heap of known content: says what it holds as JSON, counted from inside, and waits for a line on stdin."""
import array
import collections
import gc
import json
import mmap
import os
import sys

N = int(sys.argv[1]) if len(sys.argv) > 1 else 3000


class Plain:
    def __init__(self, i):
        self.name = "sample %d" % i
        self.values = [i * 1.5, i * 2.5]


class Slots:
    __slots__ = ("left", "payload")

    def __init__(self, i):
        self.left = i
        self.payload = bytearray(500)


class Outer:
    class Inner:
        pass


class MyDict(dict):
    pass


class MyList(list):
    pass


class Blob(bytes):
    __slots__ = ()


class Row(tuple):
    __slots__ = ()


ALL_COLLECTED = ("function", "cell", "set", "module", "builtin_function_or_method", "classmethod", "generator", "method")
Pair = collections.namedtuple("Pair", "a b")


class Store:
    def __init__(self):
        self.rows = [{"image": Slots(i)} for i in range(N)]


def held_by_a_function(kept):
    mine = {"inner": [Outer.Inner() for _ in range(N)]}
    kinds = collections.deque(Pair(i, str(i)) for i in range(N))
    truth = {
        "__main__.Plain": sized(kept),
        "__main__.Slots": sized(row["image"] for row in store.rows),
        "__main__.Outer.Inner": sized(mine["inner"]),
        "__main__.Pair": sized(kinds),
        "__main__.MyDict": sized(dicts),
        "__main__.MyList": sized(lists),
        "__main__.Blob": sized(blobs),
        "__main__.Row": sized(table.values()),
        "array.array": sized(arrays),
        "bytearray": sized(row["image"].payload for row in store.rows),
    }
    # Kinds of which the collector knows every one: what the interpreter and its libraries have counts as well.
    collected = {name: {"count": 0, "bytes": 0} for name in ALL_COLLECTED}
    truth["collected"] = collected
    gc.collect()
    gc.disable()
    for one in gc.get_objects():
        told = collected.get(type(one).__qualname__)
        if told is not None:
            told["count"] += 1
            told["bytes"] += sys.getsizeof(one)
    # Whoever has read this looks at once: the methods of sys.stdout and sys.stdin are bound for as long as they work, and would count.
    os.write(1, json.dumps(truth).encode() + b"\n")
    os.read(0, 1)
    return mine


def sized(objects):
    objects = list(objects)
    return {"count": len(objects), "bytes": sum(map(sys.getsizeof, objects))}


store = Store()
dicts = [MyDict(a=i) for i in range(N)]
lists = [MyList([i]) for i in range(N)]
blobs = [Blob(600 + i) for i in range(N)]  # more than the arenas' largest block
arrays = [array.array(kind, range(i % 7)) for i in range(N) for kind in "bhid"]
mapped = mmap.mmap(-1, 3 << 20)  # and below, a file, whose pages are not ours
with open(sys.executable, "rb") as program:
    of_a_file = mmap.mmap(program.fileno(), 0, prot=mmap.PROT_READ)
table = {i: Row(range(i, i + 100)) for i in range(N // 10)}
held_by_a_function([Plain(i) for i in range(N)])
