# SPDX-License-Identifier: Apache-2.0
"""`tidegauge ask`: a job that listens saves, and says where."""
import json
import os
import subprocess
import sys

import pytest
from guarded_jobs import with_our_package

JOB = """
import os, sys, time
import tidegauge
assert tidegauge.checkpoint_requested() is None
print("ready", os.getpid(), flush=True)
for n in range(1, 100_000):
    time.sleep(0.005)  # a step
    request = tidegauge.checkpoint_requested()
    if request:
        path = sys.argv[1] + f"/checkpoint-{n}"
        try:
            with open(path, "w") as file:
                file.write("weights")
            request.saved(path, step=n)
        except OSError as error:
            request.failed(error, step=n)
        print("asked", n, request.stop, flush=True)
        if request.stop:
            break
print("done", flush=True)
"""


@pytest.fixture
def job(tidegauge, home, tmp_path):
    """A job under the gauge that listens: (the gauge, the job's pid)."""
    begun = []

    def start(folder=tmp_path, code=JOB, options=()):
        environment = with_our_package()
        gauge = subprocess.Popen(
            [tidegauge, "run", "-q", "--no-record", *options, "--", sys.executable, "-c", code, str(folder)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        begun.append(gauge)
        word, pid = gauge.stdout.readline().split()
        assert word == "ready"
        return gauge, int(pid)

    yield start
    for gauge in begun:
        gauge.terminate()
        gauge.wait()
        gauge.stdout.close()


def test_a_job_saves_goes_on_saves_again_and_stops(call, job, tmp_path):
    gauge, pid = job()
    for whom, words, stop in ((gauge.pid, (), False), (pid, (), False), (pid, ("--stop",), True)):
        done = call("ask", whom, *words)
        assert (done.returncode, done.stderr) == (0, "")
        word, step, stopping = gauge.stdout.readline().split()
        assert (word, stopping) == ("asked", str(stop))
        path = tmp_path / f"checkpoint-{step}"
        assert path.read_text() == "weights"
        assert done.stdout.startswith(f"{path}  (step {step}, 7 B, ")
    assert gauge.stdout.readline() == "done\n" and gauge.wait() == 0


def test_the_answers_as_json(call, job, tmp_path):
    gauge, pid = job()
    document = json.loads(call("ask", gauge.pid, "--json").stdout)
    (answer,) = document["answers"]
    step = answer["step"]
    assert answer == {"pid": pid, "saved": True, "step": step, "path": str(tmp_path / f"checkpoint-{step}"), "bytes": 7}
    assert (document["schema"], document["silent"], document["gone"]) == ("tidegauge/ask/1", [], [])


def test_a_job_that_cannot_save_says_why(call, job, tmp_path):
    gauge, pid = job(tmp_path / "nowhere")
    done = call("ask", pid)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{pid} could not save at step" in done.stderr and "No such file or directory" in done.stderr


def test_a_job_that_does_not_look_has_not_answered(call, job):
    gauge, pid = job(code="import os, sys, tidegauge; tidegauge.checkpoint_requested(); print('ready', os.getpid(), flush=True); "
                          "import time; time.sleep(600)")  # fmt: skip
    done = call("ask", pid, "--timeout", "100ms")
    assert done.returncode == 3 and f"{pid} has not answered within 0.1 s; it may still do so" in done.stderr


def test_a_job_that_dies_over_it_is_no_answer(call, job):
    gauge, pid = job(code=JOB.replace('request.saved(path, step=n)', 'os._exit(9)'))
    done = call("ask", pid)
    assert (done.returncode, done.stderr) == (3, f"tidegauge ask: {pid} ended without an answer\n")
    assert gauge.wait() == 9


def test_nobody_to_ask(call, job, tmp_path):
    gauge, pid = job(code="import os, sys; print('ready', os.getpid(), flush=True); sys.stdin = open(0); import time; time.sleep(600)")
    done = call("ask", pid)
    assert done.returncode == 3 and "nobody in that job listens" in done.stderr
    done = call("ask", os.getpid())
    assert done.returncode == 3 and "neither runs a job under the gauge nor is part of one" in done.stderr
    assert call("ask", "no").returncode == 2
    assert call("ask").returncode == 2


def test_children_that_are_forked_have_places_of_their_own(call, job, tmp_path):
    """Two ranks, forked after the parent listened; all three answer."""
    code = "import os\n" + JOB.replace('print("ready"', 'ranks = [os.fork() for _ in range(1)]\nprint("ready"', 1).replace(
        'print("ready", os.getpid(), flush=True)',
        'tidegauge.checkpoint_requested()\n'
        'if ranks == [0]:\n    os.write(ours[1], b"x")\nelse:\n    os.read(ours[0], 1)\n    print("ready", os.getpid(), flush=True)',
    ).replace("assert tidegauge", "ours = os.pipe()\nassert tidegauge")
    code = code.replace('f"/checkpoint-{n}"', 'f"/checkpoint-{os.getpid()}"')
    gauge, pid = job(code=code)
    document = json.loads(call("ask", pid, "--stop", "--json").stdout)
    assert len(document["answers"]) == 2 and all(answer["saved"] for answer in document["answers"])
    assert {answer["path"] for answer in document["answers"]} == {str(tmp_path / f"checkpoint-{a['pid']}") for a in document["answers"]}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be two users")
def test_a_job_cannot_lead_root_to_the_job_of_another_user(call, job):
    """A process of an unprivileged user says that its page is that of root's gauge."""
    gauge, pid = job()
    (page,) = (
        f"/proc/{gauge.pid}/fd/{name}"
        for name in os.listdir(f"/proc/{gauge.pid}/fd")
        if os.readlink(f"/proc/{gauge.pid}/fd/{name}").startswith("/memfd:tidegauge-ask")
    )
    liar = subprocess.Popen(
        ["/bin/sh", "-c", "echo ready; read line"], env={"TIDEGAUGE_ASK": page}, user=65534, group=65534,
        extra_groups=[], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert liar.stdout.readline() == b"ready\n"
    done = call("ask", liar.pid, "--stop", "--timeout", "2s")
    assert done.returncode == 3 and "names the gauge of another user" in done.stderr, done
    done = call("ask", gauge.pid)  # has not been told to stop
    assert done.returncode == 0, done
    liar.communicate(b"\n")
