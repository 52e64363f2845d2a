# SPDX-License-Identifier: Apache-2.0
"""Real training in hostile surroundings: loss to the last bit, output and exit code are the same with and without us."""
import os
import subprocess
import sys
import sysconfig

import pytest
from conftest import JOBS, environment

JOB = str(JOBS / "surrounded.py")
EXIT_CODE = 7  # of the job itself, so that it cannot be mistaken for ours
PACKAGES = sysconfig.get_path("purelib")


def run(command, folder, **more):
    surroundings = {**environment(), **more.pop("env", {})}
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, cwd=folder, env=surroundings, stdin=subprocess.DEVNULL, **more
    )


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What the job prints by itself, where nothing in its surroundings should change that."""
    return run([sys.executable, JOB, "plain"], tmp_path_factory.mktemp("alone"))


def printing(text):
    """What a job prints, where that follows from what another one does."""
    return subprocess.CompletedProcess((), EXIT_CODE, stdout=text, stderr="")


@pytest.fixture
def compare(tidegauge, tmp_path):
    def same(*command, env=None, options=(), plain=None):
        plain = plain or run(command, tmp_path, env=env or {})
        under = run([tidegauge, "run", "-q", "--record", tmp_path / "r.tg", *options, "--", *command], tmp_path, env=env or {})
        assert plain.returncode == EXIT_CODE and "0x1." in plain.stdout, plain.stdout + plain.stderr
        assert (under.stdout, under.stderr, under.returncode) == (plain.stdout, plain.stderr, plain.returncode)
        return plain.stdout

    return same


@pytest.mark.parametrize("flags", [("-I",), ("-E",), ("-S",), ("-I", "-S", "-E")], ids=" ".join)
def test_flags_of_python(compare, alone, flags):
    compare(sys.executable, *flags, JOB, "plain", PACKAGES, plain=alone)


def test_children_and_threads(compare):
    # One job for all of them: importing torch takes longer than each.
    compare(sys.executable, "-W", "ignore", JOB, "threads,spawn,forkserver,sub_interpreter")


def test_children_with_other_environments(compare, alone):
    each = f"{alone.stdout} {alone.stderr} {alone.returncode}\n"
    compare(sys.executable, JOB, "clean_children", plain=printing(3 * each))


@pytest.mark.parametrize("options", [(), ("--no-preload",)], ids=["preload", "no preload"])
def test_a_sitecustomize_of_the_users(compare, alone, tmp_path, options):
    (tmp_path / "sitecustomize.py").write_text("print('the user was here')\n")
    plain = printing("the user was here\n" + alone.stdout)
    compare(sys.executable, JOB, "plain", env={"PYTHONPATH": str(tmp_path)}, options=options, plain=plain)


def test_a_foreign_preload(compare, alone):
    compare(sys.executable, JOB, "plain", env={"LD_PRELOAD": "libm.so.6"}, plain=alone)


def test_an_emptied_environment(compare, alone):
    compare("env", "-i", sys.executable, JOB, "plain", plain=alone)


def test_a_full_disk(compare, alone, small_disk, tmp_path):
    place = small_disk("64k", full=True)
    full = {"HOME": str(place), "XDG_DATA_HOME": str(place / "data"), "XDG_CACHE_HOME": str(place)}
    plain = compare(sys.executable, "-B", JOB, "plain", env=full, plain=alone)
    # And where the recording itself should go there.
    under = run(["env", os.environ.get("TIDEGAUGE", "tidegauge"), "run", "-q", "--", sys.executable, JOB, "plain"], tmp_path, env=full)
    assert (under.stdout, under.returncode) == (plain, EXIT_CODE)


def half_and_whole(command, folder, at_half):
    """Output and exit code of a job that waits in the middle, where at_half(process) happens to whoever started it."""
    process = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        env=environment(),
    )  # fmt: skip
    assert process.stdout.readline() == "half\n"
    at_half(process)
    try:
        process.stdin.write("go on\n")
        process.stdin.flush()
        return process.stdout.read()
    finally:
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_a_gauge_that_is_killed_in_mid_run(tidegauge, tmp_path):
    # The shell tells how the job ended, since the gauge cannot any more.
    job = ["sh", "-c", '"$@"; echo "exit code $?"', "sh", sys.executable, JOB, "waits"]
    plain = half_and_whole(job, tmp_path, lambda process: None)
    assert plain.splitlines()[-1] == f"exit code {EXIT_CODE}" and "0x1." in plain
    killed = half_and_whole([tidegauge, "run", "-q", "--no-record", "--", *job], tmp_path, lambda process: process.kill())
    assert killed == plain
