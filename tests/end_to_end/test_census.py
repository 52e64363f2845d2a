# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census`: what is read from outside is what the process itself counts, on every Python that is here."""
import json
import os

import pytest
from census_jobs import HEAP, census_of
from pythons_here import of_different_kinds, pythons


@pytest.fixture
def heap(request, begin):
    program = begin([*request.param.command, request.param.place(HEAP)])
    program.truth = json.loads(program.answer())
    program.known = {name: truth for name, truth in program.truth.items() if name != "collected"}
    return program


def assert_the_collectors_are_all_there(types, heap):
    for name, truth in heap.truth["collected"].items():
        if truth["count"]:
            assert (types[name]["count"], types[name]["bytes"]) == (truth["count"], truth["bytes"]), name


@pytest.mark.parametrize("heap", pythons(), indirect=True)
def test_counts_and_bytes_are_those_of_the_process(call, heap):
    document = census_of(call, heap.pid)
    assert document["schema"] == "tidegauge/census/1" and document["mode"] == "snapshot"
    types = {entry["type"]: entry for entry in document["types"]}
    assert_the_collectors_are_all_there(types, heap)
    for name, truth in heap.known.items():
        assert types[name]["count"] == truth["count"], name
        # What an instance keeps beside itself is counted to it; sys.getsizeof leaves it out.
        assert types[name]["bytes"] >= truth["bytes"], name
        if name not in ("__main__.Plain", "__main__.Outer.Inner", "__main__.MyDict", "__main__.MyList"):
            assert types[name]["bytes"] == truth["bytes"], name
    assert (types["mmap.mmap"]["count"], types["mmap.mmap"]["native_bytes"]) == (2, 3 << 20)


@pytest.mark.parametrize("heap", pythons(), indirect=True)
def test_holders_are_named(call, heap):
    retainers = {entry["type"]: entry for entry in reversed(census_of(call, heap.pid)["retainers"])}
    assert retainers["__main__.Slots"]["path"] == "__main__.store.rows[*]['image']"
    assert retainers["__main__.Slots"]["root"] == "module"
    assert retainers["__main__.Slots"]["count"] == heap.truth["__main__.Slots"]["count"]
    inner = retainers["__main__.Outer.Inner"]
    assert inner["path"] == "heap.held_by_a_function() local 'mine'['inner'][*]"
    assert inner["root"] == "frame"
    plain = retainers["__main__.Plain"]
    assert plain["path"] == "heap.held_by_a_function() local 'kept'[*]"
    assert plain["retained_bytes"] > heap.truth["__main__.Plain"]["bytes"]


@pytest.mark.parametrize("heap", pythons(), indirect=True)
def test_the_unstopped_count_agrees(call, heap):
    document = census_of(call, heap.pid, "--stream")
    assert document["mode"] == "streaming" and document["pause_ms"] == 0 and document["retainers"] == []
    types = {entry["type"]: entry for entry in document["types"]}
    assert_the_collectors_are_all_there(types, heap)
    for name, truth in heap.known.items():
        assert types[name]["count"] == truth["count"], name
    for name in ("__main__.Blob", "__main__.Row", "bytearray", "array.array"):  # more than 512 bytes: outside the arenas
        assert types[name]["bytes"] == heap.truth[name]["bytes"], name


@pytest.mark.parametrize("python", of_different_kinds())
def test_what_a_debugging_allocator_keeps_is_counted(call, python, monkeypatch, begin):
    """It puts something before every block, as with -X dev."""
    monkeypatch.setenv("PYTHONMALLOC", "debug")
    program = begin([*python.command, python.place(HEAP)])
    truth = json.loads(program.answer())
    for words in [], ["--stream"]:
        types = {entry["type"]: entry for entry in census_of(call, program.pid, *words)["types"]}
        for name in ("__main__.Slots", "__main__.Pair", "__main__.Plain", "__main__.Blob", "__main__.Row"):
            assert types[name]["count"] == truth[name]["count"], name
        assert types["__main__.Pair"]["bytes"] == truth["__main__.Pair"]["bytes"]


CHURN = """
import random, sys
class Values(list): __slots__ = ()
class Number(float): __slots__ = ()
class Sample:
    def __init__(self, i): self.name = "sample %012.6f" % i; self.values = Values((Number(i * 1.5), Number(i * 2.5)))
class Fixed: __slots__ = ("a",)
samples = [Sample(i) for i in range(300000)]
kept = [Fixed() for _ in range(50000)]
print(len(samples), len(kept), flush=True)
while True:
    samples[random.randrange(len(samples))] = Sample(random.random())
    sum(range(100))  # it does something else, too
"""


@pytest.fixture
def apart():
    """Puts a process on a core of its own, so that it runs while it is read: on one core the two would take turns."""
    cores = sorted(os.sched_getaffinity(0))

    def on_its_own(pid):
        os.sched_setaffinity(pid, cores[:1])
        os.sched_setaffinity(0, cores[1:] or cores)

    yield on_its_own
    os.sched_setaffinity(0, cores)


@pytest.mark.parametrize("python", pythons())
def test_the_unstopped_count_of_a_busy_process_is_close(call, python, apart, begin):
    program = begin([*python.command, "-c", CHURN])
    samples, kept = map(int, program.answer().split())
    apart(program.pid)
    for _ in range(5):
        types = {entry["type"]: entry["count"] for entry in census_of(call, program.pid, "--stream")["types"]}
        assert types["__main__.Fixed"] == kept
        for name, truth in (("Sample", samples), ("Values", samples), ("Number", 2 * samples)):
            assert types["__main__." + name] == pytest.approx(truth, rel=0.01), name


@pytest.mark.parametrize("heap", pythons()[:1], indirect=True)
def test_the_process_goes_on_and_keeps_no_child(call, heap):
    for _ in range(3):
        census_of(call, heap.pid)
    with open(f"/proc/{heap.pid}/task/{heap.pid}/children") as children:
        assert children.read() == ""
    heap.process.stdin.write("end\n")
    heap.process.stdin.close()
    assert heap.process.wait(timeout=20) == 0


@pytest.mark.parametrize("heap", pythons()[:1], indirect=True)
def test_the_words(call, heap):
    done = call("census", heap.pid)
    assert done.returncode == 0, done.stderr
    assert "Who holds what" in done.stdout and "__main__.store.rows[*]['image']" in done.stdout
    assert "it stood still for" in done.stdout
