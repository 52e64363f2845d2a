# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` of what it cannot read: it says so by name, with advice."""
import glob
import os
import shutil
import subprocess
import sys

import pytest
from census_jobs import HEAP


def test_what_cannot_be_read_is_said(call, started):
    done = call("census", "abc")
    assert done.returncode == 2 and "'abc' is no process id" in done.stderr
    done = call("census", 2**22 + 1)
    assert done.returncode == 3 and str(2**22 + 1) in done.stderr
    sleeper = started(["sleep", "60"])
    done = call("census", sleeper.pid)
    assert done.returncode == 3 and "sleep, in which no CPython can be found" in done.stderr
    assert sleeper.poll() is None


@pytest.mark.parametrize(
    "name, program",
    [
        ("PyPy", "pypy3"),
        ("MicroPython", "micropython"),
        ("GraalPy", "graalpy"),
        ("CPython 2.7", os.path.expanduser("~/.pyenv/versions/2.7.*/bin/python")),
        ("CPython 3.6", os.path.expanduser("~/.pyenv/versions/3.6.*/bin/python")),
        ("CPython 3.8", os.path.expanduser("~/.pyenv/versions/3.8.*/bin/python")),
    ],
)
def test_another_python_is_refused_by_its_name(call, name, program, begin):
    found = shutil.which(program) or next(iter(glob.glob(program)), None)
    if not found:
        pytest.skip(f"there is no {program} here")
    other = begin([found, "-c", "import sys; print('ready'); sys.stdout.flush(); sys.stdin.readline()"])
    assert other.answer() == "ready"
    for words in [], ["--stream"]:
        done = call("census", other.pid, *words)
        assert done.returncode == 3 and f"runs {name} (" in done.stderr and "CPython from 3.9 on" in done.stderr, done.stderr


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_another_users_process_is_refused_with_advice(call, tidegauge, tmp_path, begin):
    program = begin([sys.executable, HEAP, "10"])
    program.answer()
    shutil.copy(tidegauge, tmp_path / "tidegauge")
    os.chmod(tmp_path, 0o755)
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tmp_path / "tidegauge", "census", str(program.pid)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3 and "root" in done.stderr, done.stderr
