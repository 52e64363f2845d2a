# SPDX-License-Identifier: Apache-2.0
"""What the guard finds in a job that it holds still at its limit: in real groups, frozen in each way there is."""
import os
import re
import signal
import subprocess
import sys

import pytest
from guarded_jobs import FREEZER, JOB, PATIENCE, TOPS, children_called, end_of, let_go_on, look_in, shut_off, wait_until, with_our_package
from waiting import best_of


def recorded(path):
    return subprocess.run(["zstdcat", path], capture_output=True, text=True, check=True).stdout


def until_looked(home, attempt):
    """attempt() guards a job whose recording is home/r.tg, and gives what the job said: that, and what was found in it. A machine that has
    no core for whoever looks within 200 ms is no place to let a job wait, so nobody may have looked: then it is tried again."""

    def once():
        (home / "r.tg").unlink(missing_ok=True)
        out = attempt()
        return out, look_in(recorded(home / "r.tg"))

    out, found = best_of(once, lambda result: result[1] is not None)
    assert found, "nobody has looked"
    return out, *found


def looker_of(gauge):
    """The process that looks, by its name."""
    return next(iter(children_called("tg-guard-look", gauge.pid)), None)


@pytest.fixture
def gauge(tidegauge, groups, home, started):
    """gauge("waits", words=…): a guarded job whose recording is home/r.tg."""

    def start(manner, *options, words=(), look="5s"):
        command = [*words, tidegauge, "run", "--no-history", "--no-hooks", "--record", home / "r.tg", "--guard", "--limit", "100MB", "--look-time", look,
                   *options, "--", sys.executable, JOB, home, 1, 1000, manner]  # fmt: skip
        return started(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=groups.join,
                       env=with_our_package())  # fmt: skip

    return start


@pytest.fixture(params=["version 2", "version 1"])
def frozen_by(request):
    """Words before a command: so that it is frozen in that way."""
    if request.param == "version 2":
        return ()
    if not FREEZER.exists():
        pytest.skip("no freezer of version 1 here")
    return shut_off(TOPS[1])


def test_what_piled_up_is_counted_while_the_job_is_frozen(gauge, home, call, frozen_by):
    """One block a step, and none of them is missed or counted twice: nothing has moved meanwhile."""

    def attempt():
        code, out, errors = end_of(gauge("", "--lend", "100MB", words=frozen_by))
        assert code == 75, errors
        return out

    out, blocks, holder = until_looked(home, attempt)
    stopped = int(re.search(r"stopped (\d+)", out)[1])
    # The request is heard in the step that it came in, or in the next.
    assert holder == "__main__.held[*]" and stopped - 2 <= blocks <= stopped
    judged = call("judge", home / "r.tg").stdout
    assert re.search(rf"What piles up .* {blocks:.0f} bytearray; held by __main__.held\[\*\]", judged), judged
    assert re.search(r"in process \d+ while it stood still: .* MiB in \d+ objects: .* in \d+ bytearray", " ".join(judged.split())), judged


def test_what_piled_up_is_known_of_one_that_was_killed(gauge, home, frozen_by):
    def attempt():
        code, out, errors = end_of(gauge("deaf", words=frozen_by))
        assert code == 137 and "killed it at" in errors and "by the kernel" not in errors, errors
        return out

    out, blocks, holder = until_looked(home, attempt)
    told = int(re.findall(r"step (\d+)", out)[-1])  # each tenth step
    assert holder == "__main__.held[*]" and told <= blocks <= told + 11


def test_what_piled_up_is_known_where_processes_are_stopped_one_by_one(tidegauge, groups, home, in_container):
    """The job's group is full; whoever looks is in another, and has room."""
    (groups.folders[0] / "memory.limit_in_bytes").write_text(str(150 << 20))

    def attempt():
        with subprocess.Popen([sys.executable, JOB, home, "1", "1000", "waits"], stdout=subprocess.PIPE, text=True, preexec_fn=groups.join,
                              env=with_our_package()) as job:  # fmt: skip
            assert job.stdout.readline().startswith("from 0")
            words = [*in_container, tidegauge, "watch", job.pid, "--guard", "--look-time", "5s", "--record", home / "r.tg", "--interval", "100ms", "--no-live"]
            watch = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_until(lambda: looker_of(watch), "whoever looks")
            let_go_on(home)
            _, errors = watch.communicate(timeout=PATIENCE)
            out, _ = job.communicate(timeout=PATIENCE)
        assert job.returncode == -signal.SIGKILL and "killed it at" in errors, errors
        return out

    out, blocks, holder = until_looked(home, attempt)
    told = int(re.findall(r"step (\d+)", out)[-1])
    assert holder == "__main__.held[*]" and told <= blocks <= told + 11


@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP])
def test_the_job_does_not_wait_for_one_who_does_not_look(gauge, home, harm):
    """Who looks may be dead or asleep: the job is asked to save and end all the same."""
    one = gauge("waits", "--lend", "100MB")
    assert one.stdout.readline().startswith("from 0")
    wait_until(lambda: looker_of(one), "whoever looks")
    looker = looker_of(one)
    os.kill(looker, harm)
    try:
        let_go_on(home)
        code, out, errors = end_of(one)
    finally:
        if harm == signal.SIGSTOP:
            os.kill(looker, signal.SIGCONT)
    assert code == 75 and "stopped" in out, errors
    assert look_in(recorded(home / "r.tg")) is None


@pytest.mark.parametrize("look, words", [("5s", ("--guard-without", "look")), ("5s", ("--no-census",)), ("1ms", ())])
def test_nobody_looks_who_was_not_asked_to_or_has_no_time(gauge, home, look, words):
    code, out, errors = end_of(gauge("", "--lend", "100MB", *words, look=look))
    assert code == 75 and "stopped" in out, errors
    assert look_in(recorded(home / "r.tg")) is None
