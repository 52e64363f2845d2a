# SPDX-License-Identifier: Apache-2.0
"""A zoo of objects; writes to a file what each of those that the collector knows refers to, says "ready" and waits.

    referents.py FILE

Lines of numbers: an object's address, then those of its referents as gc.get_referents has them.
"""
import abc
import asyncio
import collections
import contextlib
import dataclasses
import enum
import functools
import gc
import json
import logging
import re
import sys
import threading
import weakref


class Plain:
    def __init__(self, i):
        self.name, self.values, self.next = "plain %d" % i, [i * 1.5, str(i)], None


class Slots:
    __slots__ = ("left", "right", "__weakref__")

    def __init__(self, i):
        self.left, self.right = (i, str(i)), {"a": i}


@dataclasses.dataclass
class Data:
    number: int
    text: str
    many: list


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


class MyDict(dict):
    pass


class MyList(list):
    pass


class MyTuple(tuple):
    pass


class Abstract(abc.ABC):
    @property
    def p(self):
        return 1


Pair = collections.namedtuple("Pair", "a b")


def generator(i):
    kept = [i, str(i)]
    yield kept
    yield i


def closure(i):
    cell = ["in a cell", i]
    return lambda: cell


async def coroutine():
    await asyncio.sleep(0)


N = 500
zoo = {
    "plain": [Plain(i) for i in range(N)],
    "slots": [Slots(i) for i in range(N)],
    "data": [Data(i, str(i), [i]) for i in range(N)],
    "dicts": [MyDict({i: [i]}) for i in range(N)],
    "lists": [MyList([[i]]) for i in range(N)],
    "tuples": [MyTuple([[i], str(i)]) for i in range(N)],
    "pairs": collections.deque(Pair([i], str(i)) for i in range(N)),
    "sets": [{(i, str(i)), str(i * 2)} for i in range(N)],
    "frozen": [frozenset([(i,), str(i)]) for i in range(N)],
    "generators": [generator(i) for i in range(N)],
    "closures": [closure(i) for i in range(N)],
    "partials": [functools.partial(print, [i], key={"k": i}) for i in range(N)],
    "methods": [one.__init__ for one in map(Plain, range(N))],
    "default": collections.defaultdict(list, {i: [i] for i in range(N)}),
    "ordered": collections.OrderedDict((i, [i]) for i in range(N)),
    "counter": collections.Counter(str(i) for i in range(N)),
    "chain": collections.ChainMap({"a": [1]}, {"b": [2]}),
    "iterators": [iter([i, [i]]) for i in range(N)],
    "mixed": {1: "one", "two": [2], (3, "t"): {4}, None: Colour.RED, 2.5: re.compile("a+b")},
    "exceptions": [ValueError("e %d" % i, [i]) for i in range(N)],
    "views": [memoryview(bytearray(100)) for _ in range(50)],
    "locks": [threading.Lock() for _ in range(50)],
    "stack": contextlib.ExitStack(),
}
for one, other in zip(zoo["plain"], zoo["plain"][1:]):
    one.next = other
zoo["plain"][0].added_later = {"by": "hand"}
weak = [weakref.ref(one) for one in zoo["slots"]] + [weakref.WeakValueDictionary({i: one for i, one in enumerate(zoo["slots"])})]
for one in zoo["generators"]:
    next(one)


@functools.lru_cache(None)
def cached(i):
    return [i]


for i in range(N):
    cached(i)


def main():
    gc.collect()
    gc.disable()
    with open(sys.argv[1], "w") as out:
        write, referents, address = out.write, gc.get_referents, id
        known = gc.get_objects()
        frame = sys._getframe()
        for one in known:
            if one is not known and one is not frame:
                write(" ".join(map(str, [address(one), *map(address, referents(one))])) + "\n")
        del one, known
    print("ready", flush=True)
    sys.stdin.readline()


main()
