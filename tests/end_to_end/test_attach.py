# SPDX-License-Identifier: Apache-2.0
"""`watch --attach-marks`: hooks for a Python that runs already, from 3.14 on. Interpreters of another root (a Debian in a folder, say)
are tried where TIDEGAUGE_ROOTS names them, as root."""
import glob
import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT
from test_hooks import PROGRAMS, PYTHONS

JOB = """
import sys
sys.path[:0] = sys.argv[1:]
import trainer, tidegauge
tidegauge.step(1)  # nobody listens yet
print("ready", flush=True)
sys.stdin.readline()
for n in range(2, 200):
    trainer.train(1)
    tidegauge.step(n)
    import time
    time.sleep(0.01)
print("done", flush=True)
"""


def candidates():
    """{name: words that start it}"""
    found = {name: [path] for name, path in PYTHONS.items() if tuple(map(int, name.split("-")[0].split(".")[:2])) >= (3, 14)}
    for root in filter(None, os.environ.get("TIDEGAUGE_ROOTS", "").split(":")):
        for path in sorted(glob.glob(f"{root}/usr/bin/python3.1[4-9]")):
            inside = f'mount -t proc proc {root}/proc && exec chroot {root} {path[len(root):]} "$@"'
            found[f"{os.path.basename(path)}-in-{os.path.basename(root)}"] = ["unshare", "-m", "sh", "-c", inside, "sh"]
    return found


NEW = candidates()


@pytest.fixture(params=NEW.values() or [None], ids=NEW.keys() or ["none"])
def python(request):
    if request.param is None:
        pytest.skip("there is no Python 3.14 or later here; TIDEGAUGE_ROOTS names other roots")
    return request.param


@pytest.fixture
def job(started):
    """job(python, flags, code): a process that is ready to train, and waits for a line."""

    def start(python, *flags, code=JOB):
        # Whatever root it lives in, it finds our files through us.
        folders = [f"/proc/{os.getpid()}/root{folder}" for folder in (PROGRAMS, ROOT / "python")]
        process = started([*python, *flags, "-c", code, *folders], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert process.stdout.readline() == "ready\n"
        return process

    return start


def events(lines):
    return [event for event in map(json.loads, lines) if event["type"] == "event"]


def test_steps_are_heard_from_then_on(tidegauge, home, python, job):
    process = job(python)
    process.stdin.write("go\n" * 2)
    process.stdin.flush()
    watch = subprocess.run(
        [tidegauge, "watch", str(process.pid), "--attach-marks", "--no-record", "--interval", "50ms", "--json"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert watch.returncode in (0, 1), watch.stderr
    told = events(watch.stdout.splitlines())
    assert [event["name"] for event in told if event["event"] == "note"][0] == "tidegauge: marks attached"
    steps = [event["value"] for event in told if event["event"] == "step"]
    assert steps and steps == sorted(steps) and steps[-1] == 199, "the job's own word, though it was imported before"
    assert process.stdout.read() == "done\n" and process.wait() == 0


def test_one_that_was_told_not_to_listen_is_left_alone(call, python, job):
    process = job(python, "-X", "disable-remote-debug")
    done = call("watch", process.pid, "--attach-marks", "--no-record")
    assert done.returncode == 3 and "remote debugging turned off (-X disable-remote-debug" in done.stderr
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.read() == "done\n" and process.wait() == 0


def test_one_that_waits_is_asked_in_vain_and_not_harmed(call, python, job):
    process = job(python, code=JOB.replace("sys.stdin.readline()", "import os; os.read(0, 3)"))
    done = call("watch", process.pid, "--attach-marks", "--no-record")
    assert done.returncode == 3 and "has not come to a safe point within 10 s" in done.stderr and "withdrawn" in done.stderr
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.read() == "done\n" and process.wait() == 0


def test_an_older_python_cannot_be_asked(call, job):
    if sys.version_info >= (3, 14):
        pytest.skip("this Python is new")
    process = job([sys.executable])
    done = call("watch", process.pid, "--attach-marks", "--no-record")
    assert done.returncode == 3 and "only 3.14 and later can be asked" in done.stderr
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.read() == "done\n" and process.wait() == 0


def test_a_trainers_counter_is_heard_too(tidegauge, home, python, job):
    process = job(python, code=JOB.replace("tidegauge.step(n)", "pass").replace("trainer.train(1)", "handler.on_step_end(None, state, None)")
                  .replace("for n in", "handler, state = trainer.CallbackHandler(), trainer.State()\nfor state.global_step in"))  # fmt: skip
    process.stdin.write("go\n")
    process.stdin.flush()
    command = [tidegauge, "watch", str(process.pid), "--attach-marks", "--no-record", "--interval", "50ms", "--json"]
    watch = subprocess.run(command, capture_output=True, text=True, timeout=60)
    steps = [event["value"] for event in events(watch.stdout.splitlines()) if event["event"] == "step"]
    assert steps and steps == sorted(steps) and steps[-1] == 199, "of a class that had been imported before"


def test_what_is_no_python(call):
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        done = call("watch", process.pid, "--attach-marks", "--no-record")
        process.stdin.close()
    assert done.returncode == 3 and "no CPython can be found" in done.stderr
    done = call("watch", "--name", "x", "--attach-marks")
    assert done.returncode == 2
