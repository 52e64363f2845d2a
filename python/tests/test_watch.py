# SPDX-License-Identifier: Apache-2.0
import copy
import logging
import os
import subprocess
import sys

import pytest

import tidegauge
from tidegauge import _marks
from tidegauge._verdict import Verdict, binary, judge



def grow(w, steps):
    """So many steps of 1 MiB, as fast as the gauge looks: one or more looks between any two of them."""
    keep, seen = [], 0
    while len(keep) < steps:
        os.sched_yield()  # lets the thread that hears the gauge run
        if w.looks > seen:
            seen = w.looks
            keep.append(bytearray(1 << 20))
            tidegauge.step(len(keep))
    return keep


def test_a_block_gets_a_verdict_on_this_process_by_its_own_steps():
    with tidegauge.watch(interval="20ms") as w:
        with tidegauge.phase("train"):
            keep = grow(w, steps=100)
    assert len(keep) == 100
    assert w.verdict.subject["process"]["pid"] == os.getpid()
    assert w.verdict.klass == "undecided"  # a second of straight growth says nothing yet
    assert w.verdict.bytes_per_step["value"] == pytest.approx(1 << 20, rel=0.25)  # a page more for malloc, steps between looks


def test_a_quiet_block_is_no_leak():
    with tidegauge.watch(interval="20ms") as w:
        while w.looks < 60:
            os.sched_yield()
    assert not w.verdict.is_leak and w.look() is w.verdict


def test_the_recording_can_be_kept(tmp_path):
    with tidegauge.watch(record=str(tmp_path / "block.tg"), interval="20ms"):
        pass
    assert judge(str(tmp_path / "block.tg"))


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(KeyError):
        with tidegauge.watch(interval="20ms") as w:
            gauge = w._gauge
            raise KeyError
    assert list(tmp_path.iterdir()) == []
    assert gauge.returncode is not None and not _marks._awake


def test_without_the_program_the_block_runs_and_the_log_says_why(monkeypatch, caplog, tmp_path):
    monkeypatch.setenv("TIDEGAUGE_BINARY", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr("tidegauge._verdict.__file__", str(tmp_path / "x.py"))
    with caplog.at_level(logging.WARNING, "tidegauge"):
        with tidegauge.watch() as w:
            done = True
    assert done and w.verdict is None and "not installed" in caplog.text


def test_a_gauge_that_cannot_start_says_why(caplog):
    with caplog.at_level(logging.WARNING, "tidegauge"):
        with tidegauge.watch(interval="soon") as w:
            pass
    assert w.verdict is None and w.looks == 0 and "soon" in caplog.text


def test_a_gauge_that_dies_does_not_harm_the_block():
    with tidegauge.watch(interval="20ms") as w:
        w._gauge.kill()
        w._gauge.wait()
        done = True
    assert done


def test_a_forked_child_leaves_the_gauge_alone():
    with tidegauge.watch(interval="20ms") as w:
        pid = os.fork()
        if pid == 0:
            w.__exit__(None, None, None)
            os._exit(0)
        os.waitpid(pid, 0)
        assert w._gauge.poll() is None
    assert w.verdict is not None


def test_verdict_is_none_without_a_gauge(monkeypatch, tmp_path, caplog):
    monkeypatch.delenv("TIDEGAUGE_RECORDING", raising=False)
    assert tidegauge.verdict() is None
    monkeypatch.setenv("TIDEGAUGE_RECORDING", str(tmp_path / "gone.tg"))
    assert tidegauge.verdict() is None
    (tmp_path / "broken.tg").write_text("nonsense")
    monkeypatch.setenv("TIDEGAUGE_RECORDING", str(tmp_path / "broken.tg"))
    with caplog.at_level(logging.WARNING, "tidegauge"):
        assert tidegauge.verdict() is None
    assert "broken.tg" in caplog.text


def test_verdict_of_a_recording_that_a_gauge_keeps(monkeypatch, tmp_path):
    record = str(tmp_path / "now.tg")
    with tidegauge.watch(record=record, interval="20ms"):
        monkeypatch.setenv("TIDEGAUGE_RECORDING", record)
        found = tidegauge.verdict()
    assert found is not None and found.klass == "undecided"


def test_a_verdict_is_an_object_like_others():
    found = Verdict({"class": "leak", "words": {"tag": "Leak", "headline": "Growing."}, "growth": {"bytes_per_step": None}})
    assert copy.deepcopy(found).klass == "leak" and found.is_leak and str(found) == "Leak: Growing."
    with pytest.raises(AttributeError):
        _ = found.nonsense


def test_importing_needs_nothing_but_the_standard_library_and_little_of_that():
    code = "import sys, tidegauge; print([m for m in ('subprocess', 'inspect', 'logging', 'csv', 'torch') if m in sys.modules])"
    plain = "import sys; print([m for m in ('subprocess', 'inspect', 'logging', 'csv', 'torch') if m in sys.modules])"
    run = lambda c: subprocess.run([sys.executable, "-c", c], capture_output=True, text=True, check=True).stdout  # noqa: E731
    assert run(code) == run(plain)


def test_the_program_is_found():
    assert os.access(binary(), os.X_OK)
