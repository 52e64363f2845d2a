# SPDX-License-Identifier: Apache-2.0
"""`watch` on a training that nobody prepared: its trainer's own count is read from its memory."""
import os
import signal
import sys

import pytest
from conftest import ROOT
from pythons_here import pythons
from test_watch import watch  # noqa: F401

AT_WORK = ROOT / "tests" / "programs" / "trainer_at_work.py"


@pytest.fixture(params=pythons())
def training(request, begin):
    program = begin([*request.param.command, request.param.place(AT_WORK)])
    assert program.answer() == "ready"
    return program


def test_steps_passes_and_evaluations_are_heard(watch, training):  # noqa: F811
    assert training.ask("at 70 0.8434") == "done"
    gauge = watch(training.pid)
    epoch = gauge.event("epoch")
    assert (epoch["value"], epoch["name"]) == (1, "steps")
    assert epoch["total"] == pytest.approx(83, rel=0.01)
    step = gauge.event("step")
    assert (step["value"], step["total"]) == (70, 332)
    assert training.ask("evaluate") == "done"
    assert gauge.event("phase_begin")["name"] == "eval"
    assert training.ask("train") == "done"
    assert gauge.event("phase_end")["name"] == "eval"
    assert training.ask("at 90 1.0843") == "done"
    assert gauge.until(lambda line: line["type"] == "event" and line["event"] == "epoch" and line["value"] == 2)
    assert gauge.until(lambda line: line["type"] == "event" and line["event"] == "step" and line["value"] == 90)


def test_a_job_that_runs_no_python_yet(watch, begin):  # noqa: F811
    """Whoever is asked too soon is asked again: a job is watched from its start."""
    training = begin(["perl", "-e", '$| = 1; print "waits\\n"; <STDIN>; exec @ARGV', "--", sys.executable, AT_WORK])
    assert training.answer() == "waits"
    gauge = watch(training.pid)
    for _ in range(20):
        gauge.sample()
    assert training.ask("become a training") == "ready" and training.ask("at 70 0.8434") == "done"
    assert gauge.event("step")["value"] == 70


def census_server_of(pid):
    """The process beside that one which reads for it."""
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        if open(f"/proc/{child}/comm").read().startswith("tidegauge-censu"):
            return int(child)
    raise AssertionError("there is none")


def test_the_watch_goes_on_when_nobody_reads_for_it(watch, begin):  # noqa: F811
    training = begin([sys.executable, AT_WORK])
    assert training.answer() == "ready" and training.ask("at 70 0.8434") == "done"
    gauge = watch(training.pid)
    assert gauge.event("step")["value"] == 70
    os.kill(census_server_of(gauge.process.pid), signal.SIGKILL)
    for _ in range(10):
        gauge.sample()
    assert gauge.end()[1] == 0
