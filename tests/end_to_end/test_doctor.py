# SPDX-License-Identifier: Apache-2.0
"""doctor: what can be measured here."""
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest


def by_name(result):
    return {finding["what"]: finding for finding in json.loads(result.stdout)["findings"]}


def test_says_what_can_be_measured(call):
    result = call("doctor")
    assert result.returncode == 0, result.stderr
    for word in ("rights", "kernel", "memory", "recordings"):
        assert word in result.stdout
    assert "\x1b" not in result.stdout


def test_json_has_the_same_findings(call):
    result = call("doctor", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["schema"] == "tidegauge/doctor/1"
    assert document["pid"] is None
    for finding in document["findings"]:
        assert finding["state"] in ("good", "limited", "missing")
        assert finding["found"]
    plain = " ".join(call("doctor").stdout.split())
    assert all(finding["what"] in plain for finding in document["findings"])


def test_knows_a_python_job(call):
    job = subprocess.Popen(
        [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()", "no\u00a0break", "--api-key", "hunter2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Python catches it only where it is not ignored, as it is in the background of a script.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert job.stdout.readline() == b"up\n"
        result = call("doctor", job.pid, "--json")
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout)["pid"] == job.pid
        findings = by_name(result)
        assert f"{sys.version_info[0]}.{sys.version_info[1]}" in findings["interpreter"]["found"]
        assert "hunter2" not in result.stdout
        assert "***" in findings["command"]["found"] and "no\u00a0break" in findings["command"]["found"]
        assert "SIGINT" in findings["signals it catches"]["found"]
    finally:
        job.communicate()


def test_a_process_that_has_ended(call):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    result = call("doctor", ended.pid)
    assert result.returncode == 3
    assert "has ended" in result.stdout
    ended.wait()
    result = call("doctor", ended.pid)
    assert result.returncode == 3
    assert f"no process {ended.pid}" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("word", ["abc", "-5", "0", "12x", "99999999999999999999", ""])
def test_what_is_no_process_id_is_wrong_use(call, word):
    result = call("doctor", "--", word)
    assert result.returncode == 2
    assert "process id" in result.stderr
    assert "--help" in result.stderr


def test_two_process_ids_are_wrong_use(call):
    assert call("doctor", 1, 2).returncode == 2


def test_recordings_that_cannot_be_written_are_noticed(call, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("no folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(file / "data"))
    finding = by_name(call("doctor", "--json"))["recordings"]
    assert finding["state"] == "limited"
    assert "--record" in finding["advice"]


ALONE = ["unshare", "--pid", "--fork", "--mount-proc"]
NO_TRACING = "setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace"
# Besides the doctor there are two processes: one that may do no more than it, and one that may.
WARD = f"""
sleep 600 >/dev/null &
{NO_TRACING} sh -c 'echo up > "$1"; exec sleep 600 >/dev/null' - "$2" &
read up < "$2"
exec {NO_TRACING} "$1" doctor --json
"""


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_root_that_may_not_trace_is_told_what_gives_that(tidegauge, home):
    if subprocess.run([*ALONE, "true"], capture_output=True).returncode != 0:
        pytest.skip("no namespace of process ids can be made here")
    os.mkfifo(home / "up")
    words = [*ALONE, "sh", "-c", WARD, "-", tidegauge, home / "up"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    findings = by_name(done)
    memory = findings["memory of your processes"]
    assert (memory["found"], memory["state"]) == ("1 of 2 readable", "limited"), memory
    assert "--cap-add SYS_PTRACE" in memory["advice"], memory
    for finding in findings.values():
        assert "as root" not in (finding["advice"] or "") and "setcap" not in (finding["advice"] or ""), finding


def test_help_has_examples_and_the_whole_command(call):
    for words in (["doctor", "--help"], ["help", "doctor"]):
        text = call(*words).stdout
        assert "Usage: tidegauge doctor" in text and "examples:" in text, text
    assert call("help", "frobnicate").returncode == 2


def test_help_on_help_is_the_help(call):
    whole = call("--help")
    assert whole.returncode == 0 and max(map(len, whole.stdout.splitlines())) <= 100, whole.stdout
    assert "killed for lack of memory" in " ".join(whole.stdout.split())
    for words in (["help"], ["help", "help"], ["--help", "--help"], ["-h", "help"]):
        assert (call(*words).returncode, call(*words).stdout) == (0, whole.stdout), words
