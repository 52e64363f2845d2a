# SPDX-License-Identifier: Apache-2.0
"""`tidegauge run --guard` in real control groups: jobs that leak save and end in time, and nothing else is touched."""
import contextlib
import http.server
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT

JOB = ROOT / "tests" / "programs" / "guarded.py"
TOPS = (pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup/unified"))
PATIENCE = 120  # seconds, for what ends by itself: a busy machine is no reason to fail


def wait_until(true, what):
    """For what no process can tell: that something is gone."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"{what} did not come to be"
        time.sleep(0.01)


class Groups:
    """Groups of the test's own, one in each hierarchy; what runs in them cannot touch the machine's others."""

    def __init__(self):
        self.folders = [top / f"tg_guard_test_{os.getpid()}" for top in TOPS]
        for folder in self.folders:
            folder.mkdir()

    def join(self):
        for folder in self.folders:
            (folder / "cgroup.procs").write_text("0")

    def made(self):
        """Groups that a guard has made in them."""
        return [path for folder in self.folders for path in folder.glob("tidegauge-*")]

    def freezer(self):
        (group,) = self.folders[1].glob("tidegauge-*")
        return group

    def pids(self):
        found = set()
        for folder in self.folders:
            for procs in folder.rglob("cgroup.procs"):
                with contextlib.suppress(OSError):
                    found |= {int(pid) for pid in procs.read_text().split()}
        return found

    def remove(self):
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.pids(), "the end of all processes")
        for path in self.made() + self.folders:
            path.rmdir()


@pytest.fixture
def groups():
    try:
        made = Groups()
    except OSError as error:
        pytest.skip(f"no control groups of version 1 with memory can be made here: {error}")
    yield made
    made.remove()


@pytest.fixture
def guarded(tidegauge, groups, home):
    """guarded(200, "leak", …): the guarded job, begun."""
    begun = []

    def start(*job, limit="100MB", options=(), command=None):
        command = command or [sys.executable, JOB, home, *job]
        words = [tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--guard", "--limit", limit, *options, "--", *command]
        gauge = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=groups.join, env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        )  # fmt: skip
        begun.append(gauge)
        return gauge

    yield start
    for gauge in begun:
        gauge.kill()
        gauge.wait()
        gauge.stdout.close()
        gauge.stderr.close()


def end_of(gauge):
    out, errors = gauge.communicate(timeout=PATIENCE)
    return gauge.returncode, out, errors


def guard_processes(gauge):
    """(actor, twin), by their names."""
    names = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, name, parent = re.match(r"(\d+) \((.*)\) \S (\d+)", path.read_text()).groups()
            names[int(pid)] = (name, int(parent))
    (actor,) = [pid for pid, (name, parent) in names.items() if name == "tg-guard" and parent == gauge.pid]
    (twin,) = [pid for pid, (name, parent) in names.items() if name == "tg-guard-twin" and parent == actor]
    return actor, twin


def test_a_leaking_job_saves_and_ends(guarded, groups):
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB")))
    stopped = int(re.search(r"stopped (\d+)", out)[1])
    assert code == 75 and "by the kernel" not in errors, errors
    assert f"state-{stopped}.json" in errors and "ended by the guard" in errors
    assert groups.made() == []
    wait_until(lambda: groups.pids() == set(), "the end of all processes")


def test_it_is_started_again_and_loses_nothing(guarded):
    code, out, errors = end_of(guarded(1, 300, options=("--lend", "100MB", "--restart-on-limit=9")))
    assert code == 0, errors
    begun = [int(step) for step in re.findall(r"from (\d+)", out)]
    stopped = [int(step) for step in re.findall(r"stopped (\d+)", out)]
    assert begun[0] == 0 and begun[1:] == stopped and len(begun) > 1 and out.endswith("done 300\n")


def test_it_is_started_with_another_command(guarded, home):
    """Which begins as the first one did: nothing is ignored that was not."""
    again = "grep SigIgn /proc/self/status && echo again {checkpoint}"
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--resume-with", again)))
    stopped = re.search(r"stopped (\d+)", out)[1]
    assert code == 0 and out.endswith(f"again {home}/state-{stopped}.json\n"), errors
    assert not int(re.search(r"SigIgn:\s*(\w+)", out)[1], 16) >> (signal.SIGPIPE - 1) & 1


def test_who_cannot_be_asked_is_killed_with_all_its_children_and_nobody_else(guarded, groups):
    """A daemon that left session and parent is part of the tree; a neighbour in the same group is not."""
    with subprocess.Popen(["sleep", "600"], preexec_fn=groups.join) as neighbour:
        script = "(setsid sleep 600 & ) ; exec \"$@\""
        gauge = guarded(command=["sh", "-c", script, "sh", sys.executable, JOB, ".", 1, 1000, "deaf"])
        code, out, errors = end_of(gauge)
        assert code == 137 and "by the kernel" not in errors, errors
        assert "killed it at" in errors and "work" not in out
        wait_until(lambda: groups.pids() == {neighbour.pid}, "the end of the whole tree")
        assert neighbour.poll() is None
        neighbour.kill()


def test_a_healthy_job_is_left_alone(guarded):
    """Peaks at 95 % of its limit, again and again."""
    code, out, errors = end_of(guarded(80, 15, "healthy"))
    assert code == 0 and out.endswith("done 15\n"), errors
    assert "asked it to save and end" not in errors and "killed" not in errors


def test_one_that_does_not_end_is_terminated_and_then_killed(guarded):
    code, out, errors = end_of(guarded(1, 1000, "stubborn", options=("--lend", "100MB", "--grace", "1500ms")))
    assert code == 137 and "terminated" in out, errors
    assert "sent SIGTERM" in errors and "killed it" in errors


def test_one_that_hangs_in_its_save_is_killed_only_at_the_top(guarded):
    """It stands still while it saves, and so does its memory: there is no reason to kill it, and SIGTERM ends it only if it catches that."""
    gauge = guarded(1, 1000, "hangs", options=("--lend", "100MB", "--save-time", "300ms"))
    for line in gauge.stderr:
        if "did not save, or has not answered" in line:
            break
    else:
        pytest.fail("it was waited for for ever")
    gauge.terminate()
    assert gauge.wait(timeout=PATIENCE) != 75


def test_one_that_has_no_disk_left_is_not_told_to_end_without_a_checkpoint(guarded):
    code, out, errors = end_of(guarded(1, 1000, "full", options=("--lend", "30MB")))
    assert "did not save" in errors and "stopped" not in out
    assert code == 137 and "killed it at" in errors and "by the kernel" not in errors, errors


def test_one_that_dies_in_the_middle_of_a_save_is_not_started_from_that(guarded, home):
    """Neither is it started again at all: it was not its memory that ended it."""
    code, out, errors = end_of(guarded(1, 1000, "cuts", options=("--lend", "100MB", "--restart-on-limit")))
    assert code == 139 and out.count("from ") == 1, errors


def test_one_that_ends_by_itself_meanwhile_has_ended_by_itself(guarded):
    code, out, errors = end_of(guarded(1, 1000, "leaves", options=("--lend", "100MB", "--restart-on-limit")))
    assert code == 7 and "ended by itself" in errors and out.count("from ") == 1, errors


def test_without_special_rights_it_works_too(guarded, groups, tidegauge, home):
    """No real-time priority, no locked memory, no other limits to raise."""
    if not shutil.which("capsh"):
        pytest.skip("no capsh to drop rights with")
    words = [tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--guard", "--limit", "100MB", "--lend", "100MB", "--",
             sys.executable, JOB, home, "1", "1000"]  # fmt: skip
    done = subprocess.run(
        ["capsh", "--drop=cap_sys_nice,cap_ipc_lock,cap_sys_resource", "--", "-c", 'ulimit -l 64; exec "$@"', "sh", *map(str, words)],
        capture_output=True, text=True, timeout=PATIENCE, preexec_fn=groups.join, env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )  # fmt: skip
    assert done.returncode == 75 and "by the kernel" not in done.stderr, done.stderr


def test_what_it_left_in_shared_memory_is_removed(guarded):
    neighbour = pathlib.Path(f"/dev/shm/tidegauge_test_{os.getpid()}")
    neighbour.write_text("not the job's")
    try:
        code, out, errors = end_of(guarded(1, 1000, "shares", options=("--guard-without", "ask", "--interval", "100ms")))
        name = re.search(r"shares (\S+)", out)[1]
        assert code == 137 and f"removed what it left behind: /dev/shm/{name}" in errors, errors
        assert not pathlib.Path("/dev/shm", name).exists() and neighbour.exists()
    finally:
        neighbour.unlink()


def test_the_twin_goes_on_for_a_killed_actor(guarded, home):
    gauge = guarded(1, 1000, "waits", options=("--lend", "100MB"))
    assert gauge.stdout.readline().startswith("from 0")
    actor, twin = guard_processes(gauge)
    os.kill(actor, signal.SIGKILL)
    wait_until(lambda: pathlib.Path(f"/proc/{twin}/comm").read_text() == "tg-guard\n", "the successor")
    (home / "go").touch()
    code, out, errors = end_of(gauge)
    assert code == 75 and "its twin goes on" in errors, errors


def test_a_job_that_was_frozen_when_the_actor_died_goes_on(guarded, groups):
    gauge = guarded(1, 40)
    assert gauge.stdout.readline().startswith("from 0")
    actor, twin = guard_processes(gauge)
    freezer = groups.freezer()
    (freezer / "cgroup.freeze").write_text("1")
    wait_until(lambda: "frozen 1" in (freezer / "cgroup.events").read_text(), "the freeze")
    os.kill(actor, signal.SIGKILL)
    code, out, errors = end_of(gauge)
    assert code == 0 and out.endswith("done 40\n"), errors


def test_the_job_outlives_the_gauge_and_its_groups_do_not_outlive_the_job(guarded, groups, tmp_path):
    gauge = guarded(command=["sh", "-c", "echo $$; read line < $0; echo $line > $1", fifo(tmp_path / "in"), fifo(tmp_path / "out")])
    int(gauge.stdout.readline())
    gauge.kill()
    gauge.wait()
    (tmp_path / "in").write_text("alive\n")
    assert (tmp_path / "out").read_text() == "alive\n"
    wait_until(lambda: not groups.made(), "the end of the groups")


def fifo(path):
    os.mkfifo(path)
    return path


def test_there_is_no_second_guard(guarded, tidegauge):
    code, out, errors = end_of(guarded(command=[tidegauge, "run", "-q", "--no-record", "--guard", "--", "echo", "ran"]))
    assert (code, out) == (0, "ran\n") and "no second guard" in errors


@pytest.fixture
def in_container():
    """Words before a command: control groups can only be read, as in a container."""
    shut = " && ".join(f"mount -o bind,ro {top} {top}" for top in (*TOPS, TOPS[0].parent / "freezer") if top.exists())
    words = ["unshare", "--mount", "sh", "-c", f"{shut or 'true'} && exec \"$@\"", "sh"]
    if subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespace can be made here")
    return words


def test_without_groups_the_job_runs_all_the_same(tidegauge, home, in_container):
    done = subprocess.run([*in_container, tidegauge, "run", "--no-record", "--guard", "--limit", "1GB", "--", "echo", "ran"],
                          capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    assert "no group that could be frozen" in done.stderr


@pytest.mark.parametrize("manner, limit, code, said", [("", 420, 75, "asked it to save and end"), ("deaf", 150, 137, "killed it at")])
def test_without_groups_it_is_asked_and_else_stopped_and_killed(tidegauge, groups, home, in_container, manner, limit, code, said):
    """The limit is that of the container, and the job is most of what is in it."""
    (groups.folders[0] / "memory.limit_in_bytes").write_text(str(limit << 20))
    words = [*in_container, tidegauge, "run", "--no-record", "--no-history", "--no-hooks", "--no-census", "--guard", "--", sys.executable, JOB, home, 1, 1000, manner]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE, preexec_fn=groups.join,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})  # fmt: skip
    assert done.returncode == code and said in done.stderr and "by the kernel" not in done.stderr, done.stderr
    wait_until(lambda: groups.pids() == set(), "the end of all processes")


def test_a_dry_run_says_what_would_be_done_and_starts_nothing(call, groups):
    done = call("run", "--guard", "--limit", "100MB", "--dry-run", "--", "sh", "-c", "echo started", preexec_fn=groups.join)
    assert done.returncode == 0 and "started" not in done.stdout
    for rung in ("+ freeze", "+ lend", "+ ask", "+ stop", "+ kill"):
        assert rung in done.stdout
    assert groups.made() == []


def test_what_was_done_is_in_the_recording(tidegauge, groups, home, call):
    done = subprocess.run(
        [tidegauge, "run", "-q", "--no-history", "--no-hooks", "--record", home / "r.tg", "--guard", "--limit", "100MB", "--lend", "100MB",
         "--notify", f"echo \"$TIDEGAUGE_NEWS\" >> {home}/news", "--", sys.executable, JOB, home, "1", "1000"],
        capture_output=True, text=True, timeout=PATIENCE, preexec_fn=groups.join, env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )  # fmt: skip
    assert done.returncode == 75, done.stderr
    text = subprocess.run(["zstdcat", home / "r.tg"], capture_output=True, text=True).stdout
    assert "guard: asked it to save and end" in text and "guard: end of the job: ended by the guard" in text
    wait_until(lambda: "asked it to save and end" in (home / "news").read_text(), "the notice")
    judged = call("judge", home / "r.tg").stdout
    assert "What the guard did" in judged and re.search(r"end of the job: ended by the guard, at most .* of", judged), judged


@pytest.fixture
def limited(groups):
    """The test's own memory group has a limit that is not the guard's."""
    (groups.folders[0] / "memory.limit_in_bytes").write_text(str(420 << 20))
    return groups


@pytest.fixture
def watched(tidegauge):
    """watched(812): a guard of that process and its children."""
    begun = []

    def start(pid, *words):
        begun.append(subprocess.Popen([tidegauge, "watch", str(pid), "--guard", "--no-record", "--no-live", *words], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))  # fmt: skip
        return begun[-1]

    yield start
    for watch in begun:
        watch.kill()
        watch.communicate()


@pytest.fixture
def running(groups, start):
    """A job that runs already, in the test's own group."""
    job = start("obedient")
    assert job.answer() == "ready"
    (groups.folders[1] / "cgroup.procs").write_text(str(job.pid))
    return job


def groups_of(pid):
    return pathlib.Path(f"/proc/{pid}/cgroup").read_text()


def test_watch_guards_a_tree_that_runs_already(tidegauge, watched, limited, home):
    """It runs under a gauge without a guard, so it can be asked; its group's limit is not raised."""
    words = [tidegauge, "run", "-q", "--no-record", "--no-history", "--no-hooks", "--", sys.executable, JOB, home, 1, 1000, "waits"]
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True, preexec_fn=limited.join,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")}) as gauge:  # fmt: skip
        pid = gauge.stdout.readline().split()[2]
        watch = watched(pid)
        wait_until(lambda: "tidegauge-" in groups_of(pid), "the guard")
        (home / "go").touch()
        out, _ = gauge.communicate(timeout=PATIENCE)
        said, errors = watch.communicate(timeout=PATIENCE)
        assert "stopped" in out and gauge.returncode == 0, errors
        assert "asked it to save and end" in errors and "killed" not in errors
    assert (limited.folders[0] / "memory.limit_in_bytes").read_text() == f"{420 << 20}\n"


def test_watch_lets_go_of_what_it_guarded(watched, running, groups):
    before = groups_of(running.pid)
    watch = watched(running.pid, "--for", "600")
    wait_until(lambda: "tidegauge-" in groups_of(running.pid), "the guard")
    child = running.ask("fork 1")
    assert "tidegauge-" in groups_of(child)
    assert "no second guard" in watched(running.pid, "--for", "100ms").communicate(timeout=PATIENCE)[1]
    watch.send_signal(signal.SIGINT)
    watch.communicate(timeout=PATIENCE)
    assert groups_of(running.pid) == groups_of(child) == before
    assert running.ask("grow 4096") == "grown" and groups.made() == []


def test_a_killed_watch_lets_go_at_any_moment(watched, running, groups):
    before = groups_of(running.pid)
    watch = watched(running.pid)
    wait_until(lambda: "tidegauge-" in groups_of(running.pid), "the guard")
    watch.kill()
    wait_until(lambda: groups_of(running.pid) == before, "the way back")
    wait_until(lambda: not groups.made(), "the end of the group")


def test_its_time_is_up_again_and_again(guarded):
    """Each life is asked to save and end, and the next goes on from there; these do not count as restarts for its memory."""
    code, out, errors = end_of(guarded(0, 120, options=("--chunk", "500ms", "--restart-on-limit=1")))
    begun = [int(step) for step in re.findall(r"from (\d+)", out)]
    stopped = [int(step) for step in re.findall(r"stopped (\d+)", out)]
    assert code == 0 and out.endswith("done 120\n"), errors
    assert begun == [0, *stopped] and len(stopped) >= 1
    assert errors.count("guard: asked it to save and end because its time is up") >= len(stopped)


def test_all_can_be_said_in_a_file(guarded, home):
    config = home / "guard.toml"
    config.write_text('lend = "100MB"\nrestart-on-limit = 9\n')
    code, out, errors = end_of(guarded(1, 1000, options=("--guard-config", config, "--restart-on-limit=1")))
    assert code == 75 and out.count("from ") == 2 and "that was life 2" in errors, "words go before the file"
    config.write_text('\nlend = "much"\n')
    code, out, errors = end_of(guarded(1, 1000, options=("--guard-config", config)))
    assert (code, out) == (2, "") and "guard.toml: line 2: lend is a size" in errors


class Hooks(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.bodies.put((self.path, self.headers["Content-Type"], json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *words):
        pass


def test_a_webhook_is_told(guarded):
    with http.server.HTTPServer(("127.0.0.1", 0), Hooks) as server:
        server.bodies = queue.Queue()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/hook?token=hidden"
        code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--webhook", url)))
        news = []
        while not news or "asked it to save and end" not in news[-1]["news"]:
            path, kind, body = server.bodies.get(timeout=PATIENCE)
            assert (path, kind, body["schema"]) == ("/hook?token=hidden", "application/json", "tidegauge/guard/1")
            news.append(body)
        server.shutdown()
    assert code == 75 and "guarded.py" in news[0]["job"] and "hidden" not in errors, errors


def test_a_webhook_that_does_not_answer_holds_up_nobody(guarded):
    """Neither the job nor whoever reads what it says until the end of that: the last one to be told is still waiting for its answer then."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--webhook", f"http://127.0.0.1:{deaf.getsockname()[1]}/")))
        deaf.settimeout(PATIENCE)
        deaf.accept()[0].close()
        assert code == 75, errors


def test_the_desktop_is_told_where_there_is_one(guarded, home, monkeypatch):
    (home / "notify-send").write_text(f"#!/bin/sh\necho \"$@\" >> {home}/shown\n")
    (home / "notify-send").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")
    code, out, errors = end_of(guarded(1, 1000, options=("--lend", "100MB", "--desktop")))
    assert code == 75
    wait_until(lambda: "asked it to save and end" in (home / "shown").read_text(), "the notice")


def test_exit_0_after_a_sigterm_from_outside_is_not_success(guarded):
    """As Lightning leaves."""
    gauge = guarded(1, 100000, "polite", options=("--restart-on-limit",))
    assert gauge.stdout.readline().startswith("from 0")
    gauge.terminate()
    code, out, errors = end_of(gauge)
    assert code == 143 and "SIGTERM from outside; it ended with exit code 0" in errors and "from " not in out, errors


def test_a_disk_that_is_really_full(guarded, small_disk):
    """Place for one checkpoint and no other: it is not asked to end without one, and the job goes on until there is nothing left to lend."""
    command = [sys.executable, JOB, small_disk("1536k"), 1, 1000, "large"]
    code, out, errors = end_of(guarded(command=command, options=("--lend", "60MB", "--ask-every", "10ms")))
    assert "it saved" in errors and "stopped" not in out, errors
    assert "could not save" in out or "did not save" not in errors  # seen by the job, or by the guard before
    assert code == 137 and "killed it at" in errors and "by the kernel" not in errors, errors


@pytest.fixture
def journal(home, monkeypatch):
    """journal("…{pid}…"): what a stand-in for journalctl prints; a process of the job for {pid}."""
    program = home / "journalctl"

    def write(text):
        (home / "journal").write_text(text)
        program.write_text(f"#!/bin/sh\nexec cat {home}/journal\n")
        program.chmod(0o755)

    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")
    return write


@pytest.mark.parametrize("line, said", [
    ('sending SIGKILL to process {pid} uid 0 "python": badness 812, VmRSS 90 MiB', "killed by earlyoom (sending SIGKILL"),
    ("Killed {group} due to memory pressure for / being 80% > 50% for > 20s with reclaim activity", "killed by systemd-oomd (Killed"),
    ('sending SIGKILL to process 1 uid 0 "init": badness 1, VmRSS 1 MiB', "sender unknown"),
])  # fmt: skip
def test_who_else_killed_it_is_said(guarded, groups, journal, line, said):
    gauge = guarded(1, 1000, "waits")
    pid = gauge.stdout.readline().split()[2]
    journal(line.format(pid=pid, group=f"/{groups.folders[1].name}") + "\n")
    os.kill(int(pid), signal.SIGKILL)
    code, out, errors = end_of(gauge)
    assert code == 137 and said in errors, errors


@pytest.mark.parametrize("words", [["--guard-without", "sleep"], ["--guard", "--resume-with", "echo"], ["--restart-on-limit"], ["--chunk", "1m"],
                                   ["--guard", "--webhook", "ftp://x"]])
def test_wrong_words_are_refused(call, words):
    assert call("run", *words, "--", "true").returncode == 2
