# SPDX-License-Identifier: Apache-2.0
import gc
import os
import signal
import subprocess
import sys
import time
import weakref

import pytest

import tidegauge
from tidegauge import _memory, checkpoint
from tidegauge.loading import Watched
from tidegauge.remedies import Cleanup, _libc, malloc_state, malloc_trim, tune_malloc
from tidegauge.retention import Checked

glibc = pytest.mark.skipif(_libc() is None, reason="malloc is not glibc's")


@glibc
def test_malloc_tells_what_is_live_and_what_is_kept():
    before = malloc_state()
    blocks = [bytearray(100_000) for _ in range(300)]
    full = malloc_state()
    assert full.live_bytes - before.live_bytes >= 29_000_000
    last = blocks.pop()  # keeps the top of the heap where it is
    del blocks
    after = malloc_state()
    assert full.live_bytes - after.live_bytes >= 28_000_000 and len(last) == 100_000
    assert malloc_trim() in (True, False)
    assert "live" in repr(after)


@glibc
def test_tuning_says_what_it_did():
    code = (
        "from tidegauge.remedies import tune_malloc\n"
        "print(tune_malloc(arenas=2, trim_threshold='128KiB', mmap_threshold=65536))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    expected = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_MMAP_THRESHOLD_": "65536"}
    assert eval(done.stdout) == expected
    assert tune_malloc() == {}


@glibc
def test_a_smaller_mmap_threshold_gives_memory_back():
    """Blocks with something small and live after them: malloc cannot trim the heap, an own mapping goes back at once."""
    code = """
import os, sys
from tidegauge.remedies import tune_malloc
if sys.argv[1] == "tuned":
    tune_malloc(mmap_threshold="32KiB")
def rss(): return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
blocks, pins = [], [bytearray(600) for _ in range(20_000)]  # in all holes that imports have left
for _ in range(1000):
    blocks.append(bytearray(64_000))
    pins.append(bytearray(600))
del blocks
print(rss())
"""
    sizes = {}
    for way in ("plain", "tuned"):
        done = subprocess.run([sys.executable, "-c", code, way], capture_output=True, text=True, check=True)
        sizes[way] = int(done.stdout)
    assert sizes["plain"] - sizes["tuned"] > 40_000_000


def test_cleanup_reports_its_cost_and_what_it_gave_back():
    class Node:
        pass

    gc.disable()
    try:
        cleanup = Cleanup(every=5)
        for _ in range(10):
            node = Node()
            node.self, node.data = node, bytearray(20_000_000)
            gone = weakref.ref(node)
            del node
            cleanup.step()
    finally:
        gc.enable()
    assert gone() is None and cleanup.times == 2
    assert cleanup.given_back["gc"] > 100_000_000 and cleanup.seconds["gc"] > 0
    assert "2 times" in cleanup.report() and "leave it out" not in cleanup.report()


def test_cleanup_that_cannot_help_says_so():
    held = [bytearray(1000) for _ in range(100)]
    cleanup = Cleanup(every=1)
    cleanup.now()
    cleanup.seconds and cleanup.given_back.update(dict.fromkeys(cleanup.given_back, 0))  # what others freed meanwhile
    assert "leave it out" in cleanup.report() and held
    assert Cleanup().report() == "cleanup: never came to it"


def test_cleanup_sets_gradients_to_none_and_survives_what_fails():
    class Model:
        def zero_grad(self, set_to_none):
            self.called = set_to_none
            raise RuntimeError

    model = Model()
    Cleanup(every=1, zero_grad=model, collect=False).step()
    assert model.called is True


# ---- a collator that keeps nothing


class Batcher:
    def __init__(self, keep):
        self.keep = keep
        self.kept = []

    def __call__(self, rows):
        numpy = pytest.importorskip("numpy")
        batch = {"x": numpy.zeros((len(rows), 1000)), "names": ["a"]}
        if self.keep == "batch":
            self.kept.append(batch)
        if self.keep == "copy":
            self.kept.append(batch["x"].copy())
        return batch


def test_a_collator_that_keeps_nothing_is_told_so():
    pytest.importorskip("numpy")
    checked = Checked(Batcher(None))
    for _ in range(40):
        checked([1, 2])
    checked.check()
    assert checked.report().startswith("Batcher retains nothing: 40 batches")


@pytest.mark.parametrize("keep, words", [("batch", "parts of"), ("copy", "kept of the function holds")])
def test_a_collator_that_keeps_batches_is_found(keep, words):
    pytest.importorskip("numpy")
    checked = Checked(Batcher(keep))
    for _ in range(40):
        checked([1, 2])
    with pytest.raises(AssertionError, match="retains memory"):
        checked.check()
    assert words in checked.report()


def test_a_closure_is_looked_into():
    numpy = pytest.importorskip("numpy")
    cache = []

    def collate(rows):
        cache.append(numpy.zeros(1000))
        return {"x": numpy.zeros(10)}

    checked = Checked(collate)
    for _ in range(20):
        checked([1])
    assert "cache of the function holds" in checked.report()


def test_a_cache_that_is_full_is_no_retention():
    numpy = pytest.importorskip("numpy")
    cache = {}

    def collate(rows):
        cache.setdefault(rows[0] % 10, numpy.zeros(1000))
        return {"x": numpy.zeros(10)}

    checked = Checked(collate)
    for n in range(100):
        checked([n])
    checked.check()


def test_a_loop_that_holds_the_last_batches_is_not_blamed():
    pytest.importorskip("numpy")
    checked, last = Checked(Batcher(None)), []
    for _ in range(40):
        last = [*last[-2:], checked([1])]
    assert checked.retained() == []


def test_too_few_batches_are_too_few():
    pytest.importorskip("numpy")
    checked = Checked(Batcher("batch"))
    checked([1])
    assert "too few" in checked.report()


# ---- advice on a loader


class SlowList(list):
    num_workers = 0

    def __iter__(self):
        for one in list.__iter__(self):
            time.sleep(0.004)
            yield one


def test_a_loop_that_waits_is_told_to_use_workers():
    loader = Watched(SlowList(range(30)))
    for _ in loader:
        pass
    assert loader.wait_share > 0.5 and len(loader) == 30
    assert "num_workers=" in loader.advice()


def test_a_loop_that_does_not_wait_is_told_to_leave_it():
    loader = Watched([1] * 30)
    for _ in loader:
        time.sleep(0.01)
    assert loader.wait_share < 0.1 and "workers would cost memory" in loader.advice()
    assert "too few" in Watched([1]).advice()


def test_a_loop_that_breaks_off_is_measured_too():
    loader = Watched(SlowList(range(30)))
    for n in loader:
        if n == 9:
            break
    assert loader.batches == 10 and loader.seconds > 0.03


# ---- asking for a checkpoint


@pytest.fixture
def quiet():
    before = signal.getsignal(checkpoint.SIGNAL)
    checkpoint._catching = False
    checkpoint._asked.clear()
    yield
    checkpoint._catching = False
    signal.signal(checkpoint.SIGNAL, before)


def test_a_signal_asks_for_one_checkpoint(quiet):
    assert tidegauge.checkpoint_requested() is None  # and from here on the signal does not end us
    with open("/proc/self/status") as status:
        caught = int(next(line for line in status if line.startswith("SigCgt")).split()[1], 16)
    assert caught >> (checkpoint.SIGNAL - 1) & 1
    os.kill(os.getpid(), checkpoint.SIGNAL)
    request = tidegauge.checkpoint_requested()
    assert request and request.stop is None and request.number == 0
    request.saved("nowhere")  # nobody waits to hear it
    assert tidegauge.checkpoint_requested() is None


def test_somebody_elses_handler_stays(quiet):
    heard = []
    signal.signal(checkpoint.SIGNAL, lambda *args: heard.append(1))
    assert checkpoint.listen() is False
    os.kill(os.getpid(), checkpoint.SIGNAL)
    assert heard == [1] and tidegauge.checkpoint_requested() is None


# ---- readings


def test_readings_are_about_the_process_that_takes_them():
    import pickle

    from tidegauge._readings import Readings

    readings = Readings()
    ballast = bytearray(50_000_000)
    before = readings.now()
    assert before > len(ballast)
    copy = pickle.loads(pickle.dumps(readings))
    assert copy._file == -1 and abs(copy.now() - before) < 20_000_000
    del ballast
    pid = os.fork()
    if pid == 0:
        code = 1 if readings.now() > before - 30_000_000 else 0  # the child's own is smaller
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    readings.close()
    copy.close()


def test_a_long_series_is_thinned_out_evenly(tmp_path):
    from tidegauge._readings import MOST_READINGS, Readings

    readings = Readings(with_time=True)
    for n in range(10 * MOST_READINGS):
        readings.take(n, n * 1.0)
    steps = [step for step, _ in readings.series()]
    assert MOST_READINGS // 2 <= len(steps) < MOST_READINGS and steps[0] == 0 and steps[-1] > 9.5 * MOST_READINGS
    gaps = {b - a for a, b in zip(steps, steps[1:])}
    assert max(gaps) <= 2 * 16
    readings.write(str(tmp_path / "steps.csv"))
    header, first, *_ = (tmp_path / "steps.csv").read_text().splitlines()
    assert header == "time,step,anon_bytes" and first.startswith("0,0,")
    readings.close()


def test_an_old_number_is_not_told_again(monkeypatch):
    """Beside new ones it would say that nothing has changed."""
    numbers = iter(range(10))
    monkeypatch.setattr(_memory, "SLOW_EVERY_SECONDS", 0.0)
    slow = _memory._Rarely(lambda: {"uss": next(numbers)}, share=1e-9)
    assert slow.value() == {"uss": 0}
    assert slow.value() == {}, "it would have cost too much"
    monkeypatch.setattr(_memory, "SLOW_EVERY_SECONDS", 60.0)
    assert slow.value(at_any_cost=True) == {"uss": 1} == slow.value()
