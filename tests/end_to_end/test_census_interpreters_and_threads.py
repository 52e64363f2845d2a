# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` of a process with several interpreters or threads: what each of them has made is counted."""
import pytest
from census_jobs import census_of
from pythons_here import pythons

SEVERAL_INTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
except ImportError:  # up to 3.12
    import _xxsubinterpreters as interpreters
FILL = "class Crate:\\n    __slots__ = ('load',)\\nkept = [Crate() for _ in range(%d)]\\nlarge = bytearray(%d << 10)"
exec(FILL % (1000, 100))
others = [interpreters.create(), interpreters.create()]  # with memory of its own each, from 3.12 on
interpreters.run_string(others[0], FILL % (2000, 2000))
interpreters.run_string(others[1], FILL % (3000, 3000))
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("python", pythons())
def test_what_other_interpreters_hold_is_counted(call, python, begin):
    program = begin([*python.command, "-c", SEVERAL_INTERPRETERS])
    assert program.answer() == "ready"
    for words in [], ["--stream"]:
        document = census_of(call, program.pid, *words)
        types = {entry["type"]: entry for entry in document["types"]}
        assert types["__main__.Crate"]["count"] == 6000, words
        assert types["bytearray"]["bytes"] >= 5100 << 10
        assert document["garbage"]["count"] < 100
    held = {entry["path"]: entry["count"] for entry in census_of(call, program.pid)["retainers"]}
    assert held["__main__.large"] == 3 and held["__main__.kept[*]"] >= 5000  # each in its own __main__


THREADS = """
import sys, threading
class Crate:
    __slots__ = ("load",)
    def __init__(self, load): self.load = load
kept = [[] for _ in range(4)]
def make(mine):
    mine.extend(Crate("load %d" % i) for i in range(20_000))
threads = [threading.Thread(target=make, args=(mine,)) for mine in kept]
for one in threads: one.start()
for one in threads: one.join()
for mine in kept: del mine[::2]  # which another thread has made
busy = threading.Event()
def hold():
    inner = [Crate(i) for i in range(5000)]
    busy.set()
    threading.Event().wait()
threading.Thread(target=hold, daemon=True).start()
busy.wait()
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("python", pythons())
def test_what_threads_have_made_is_counted_whether_they_live_or_not(call, python, begin):
    program = begin([*python.command, "-c", THREADS])
    assert program.answer() == "ready"
    for words in [], ["--stream"]:
        types = {entry["type"]: entry["count"] for entry in census_of(call, program.pid, *words)["types"]}
        assert types["__main__.Crate"] == 45_000, words
    held = {(entry["path"], entry["type"]): entry["count"] for entry in census_of(call, program.pid)["retainers"]}
    assert held["<string>.hold() local 'inner'[*]", "__main__.Crate"] == 5000


LET_GO_ELSEWHERE = """
import sys, threading
class Crate: __slots__ = ()
kept = [Crate() for _ in range(10_000)]
def let_go():
    sum(range(1_000_000))  # meanwhile the main thread begins to wait
    kept.clear()
    print("ready", flush=True)
    sys.stdin.readline()
other = threading.Thread(target=let_go)
other.start()
other.join()
"""


@pytest.mark.parametrize("python", [param for param in pythons() if param.id.endswith("t")])
def test_what_waits_for_the_thread_that_made_it_is_held_by_nobody(call, python, begin):
    program = begin([*python.command, "-c", LET_GO_ELSEWHERE])
    assert program.answer() == "ready"
    document = census_of(call, program.pid)
    waiting = sum(entry["count"] for entry in document["types"] if entry["type"] == "__main__.Crate")
    assert document["garbage"]["count"] >= waiting  # how many are left is up to the thread
    assert not [entry for entry in document["retainers"] if entry["type"] == "__main__.Crate"]
