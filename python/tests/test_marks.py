# SPDX-License-Identifier: Apache-2.0
"""Marks, heard by a listener in this process (a watch is one); the ring is tested where it is made."""
import asyncio
import inspect
import os
import pickle
import threading
import time

import pytest

import tidegauge
from tidegauge import _channel, _marks


class Heard:
    def __init__(self):
        self.all = []

    def number(self, kind, number, total):
        self.all.append((kind, number, total))

    def text(self, kind, words):
        self.all.append((kind, words))


BEGIN, END = (_channel.PHASE_BEGIN, "eval"), (_channel.PHASE_END, "eval")


@pytest.fixture
def heard():
    listener = Heard()
    _marks.listen(listener)
    yield listener.all
    _marks.unlisten(listener)


def test_steps_count_themselves_from_the_last_one_given(heard):
    tidegauge.step(41, total=100)
    tidegauge.step()
    assert heard == [(_channel.STEP, 41, 100), (_channel.STEP, 42, 0)]


def test_epochs_and_notes(heard):
    tidegauge.epoch(2, total=3)
    tidegauge.mark("curriculum", length=512, rate=0.1 + 0.2)
    assert heard == [(_channel.EPOCH, 2, 3), (_channel.NOTE, "curriculum length=512 rate=0.3")]


def test_a_mark_never_raises_into_the_job(heard):
    class Bad:
        def __str__(self):
            raise RuntimeError("no")

    tidegauge.step("seven")
    tidegauge.epoch(None)
    tidegauge.mark("x", value=Bad())
    assert heard == []


def test_a_listener_that_fails_does_not_harm_the_job():
    class Broken:
        def number(self, *args):
            raise RuntimeError

        text = number

    broken = Broken()
    _marks.listen(broken)
    try:
        tidegauge.step(1)
        with tidegauge.phase("eval"):
            pass
    finally:
        _marks.unlisten(broken)


def test_phase_as_a_block(heard):
    with pytest.raises(KeyError):
        with tidegauge.phase("eval"):
            raise KeyError
    assert heard == [BEGIN, END]


def test_phase_as_a_decorator_keeps_the_function(heard):
    @tidegauge.phase("eval")
    def evaluate(a, *, b=2):
        "words"
        return a + b

    assert evaluate(1, b=3) == 4
    assert (evaluate.__name__, evaluate.__doc__) == ("evaluate", "words")
    assert list(inspect.signature(evaluate).parameters) == ["a", "b"]
    assert heard == [BEGIN, END]


def test_only_the_outermost_of_nested_phases_is_told(heard):
    @tidegauge.phase("eval")
    def down(n):
        return n and down(n - 1)

    down(3)
    assert heard == [BEGIN, END]


def test_phase_of_a_coroutine_lasts_until_its_result(heard):
    @tidegauge.phase("eval")
    async def evaluate():
        await asyncio.sleep(0)
        heard.append("inside")
        return 7

    assert inspect.iscoroutinefunction(evaluate)
    assert asyncio.run(evaluate()) == 7
    assert heard == [BEGIN, "inside", END]


def test_phase_of_a_generator_lasts_until_its_end(heard):
    @tidegauge.phase("eval")
    def batches():
        got = yield 1
        heard.append(got)
        return "result"

    run = batches()
    assert heard == []  # nothing has begun
    next(run)
    with pytest.raises(StopIteration) as stop:
        run.send("sent")
    assert stop.value.value == "result" and heard == [BEGIN, "sent", END]


def test_a_generator_that_is_dropped_ends_its_phase(heard):
    @tidegauge.phase("eval")
    def batches():
        yield 1
        yield 2

    run = batches()
    next(run)
    run.close()
    assert heard == [BEGIN, END]


def test_phase_of_an_asynchronous_generator(heard):
    closed = []

    @tidegauge.phase("eval")
    async def batches():
        try:
            got = yield 1
            heard.append(got)
            try:
                yield 2
            except LookupError:
                yield "caught"
        finally:
            closed.append(True)

    async def use():
        run = batches()
        assert await run.__anext__() == 1
        assert await run.asend("sent") == 2
        assert await run.athrow(LookupError()) == "caught"
        with pytest.raises(StopAsyncIteration):
            await run.__anext__()
        half = batches()
        await half.__anext__()
        await half.aclose()

    asyncio.run(use())
    assert heard == [BEGIN, "sent", END, BEGIN, END] and closed == [True, True]


def test_phases_of_many_threads_are_one(heard):
    barrier = threading.Barrier(8)

    def work():
        with tidegauge.phase("eval"):
            barrier.wait()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == [BEGIN, END]


def test_a_child_that_was_forked_in_a_phase_can_mark(heard):
    with _marks._depths.lock:  # as if another thread held it at the moment of the fork
        pid = os.fork()
        if pid == 0:
            with tidegauge.phase("save"):
                pass
            os._exit(0 if len(heard) == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_phase_can_be_pickled():
    assert pickle.loads(pickle.dumps(tidegauge.phase("eval"))).name == "eval"


def test_without_a_gauge_a_mark_costs_next_to_nothing():
    assert not _marks._awake
    calls, best = 20_000, 1.0
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(calls):
            tidegauge.step(1)
        best = min(best, (time.perf_counter() - began) / calls)
    assert best < 2e-6  # 50 ns on an idle machine; this one may be busy
