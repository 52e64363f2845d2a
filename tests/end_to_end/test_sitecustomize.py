# SPDX-License-Identifier: Apache-2.0
"""The second way into a Python process, without LD_PRELOAD: a sitecustomize that nobody can tell from none."""
import os
import shutil
import subprocess

import pytest
from conftest import ROOT
from test_hooks import ALL, OF_THE_TRAINER, PROGRAMS, TRAINER, compare, script, told  # noqa: F401
from told_steps import steps_of

WITHOUT_PRELOAD = ("--no-preload",)


@ALL
def test_marks_arrive(compare, python):  # noqa: F811
    marks = [mark for mark in compare(python, TRAINER, options=WITHOUT_PRELOAD) if mark["event"] != "note"]
    assert told(marks) == OF_THE_TRAINER


@ALL
@pytest.mark.parametrize("flags", [("-S",), ("-I",), ("-E",)])
def test_where_python_looks_at_nothing_it_is_not_heard_and_not_harmed(compare, python, flags):  # noqa: F811
    assert compare(python, *flags, TRAINER, options=WITHOUT_PRELOAD) == []


@ALL
def test_nothing_can_be_seen_of_us(compare, python, script):  # noqa: F811
    compare(python, "-W", "error", script("""
        import os, sys, threading
        print(sys.path[1:], sorted(name for name in sys.path_importer_cache if "tidegauge" in name), "sitecustomize" in sys.modules)
        print(threading.active_count(), sorted(os.listdir("/proc/self/fd")), os.environ.get("LD_PRELOAD"))
        print([name for name in sys.modules if "tidegauge" in name], sys.argv)
    """), options=WITHOUT_PRELOAD)  # fmt: skip


@ALL
def test_the_users_own_runs_once_and_is_the_module(compare, python, script, tmp_path):  # noqa: F811
    script("""
        import sys
        print("the user was here", __name__, __file__, __spec__.name, sys.modules["sitecustomize"].__dict__ is globals())
        value = 42
    """, "sitecustomize.py")  # fmt: skip
    job = script(f"""
        import sys
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer, sitecustomize
        print(sitecustomize.value, sitecustomize.__file__, trainer.train())
    """)
    marks = compare(python, job, env={"PYTHONPATH": f"{tmp_path}:/elsewhere"}, options=WITHOUT_PRELOAD)
    assert steps_of(marks) == [1, 3]


@ALL
@pytest.mark.parametrize("body", ["raise RuntimeError('of the user')", "raise SystemExit(4)", "import not_there", "def"])
def test_the_users_own_fails_as_it_would(python, call, script, tmp_path, body):  # noqa: F811
    script(body + "\n", "sitecustomize.py")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [python, "-c", "import sys; print('done', 'sitecustomize' in sys.modules)"]
    plain = subprocess.run(command, capture_output=True, text=True, env=environment)
    under = call("run", "-q", "--no-record", "--no-preload", "--", *command, env=environment)
    assert (under.stdout, under.returncode) == (plain.stdout, plain.returncode)
    # Up to the traceback that Python prints only for SystemExit and with -v.
    assert under.stderr.splitlines()[-1:] == plain.stderr.splitlines()[-1:]


@ALL
def test_children_are_heard_where_they_keep_the_environment(compare, python, script):  # noqa: F811
    job = script(f"""
        import os, subprocess, sys
        run = lambda env: print(subprocess.run([sys.executable, {str(TRAINER)!r}], env=env, capture_output=True, text=True).stdout, end="")
        run(dict(os.environ))
        run({{**os.environ, "PYTHONPATH": "/nowhere"}})
        run({{}})
    """)
    marks = compare(python, job, options=WITHOUT_PRELOAD)
    assert [mark[0] for mark in told(marks)].count("phase_begin") == 1


def test_a_folder_that_the_linker_cannot_name(tidegauge, compare, python_here, tmp_path, monkeypatch):  # noqa: F811
    """Blanks in the path: LD_PRELOAD would take it for two names."""
    folder = tmp_path / "a folder with blanks"
    (folder / "site").mkdir(parents=True)
    for name in ("tidegauge", "libtidegauge_probe.so"):
        shutil.copy(tidegauge.parent / name, folder / name)
    shutil.copy(ROOT / "probe" / "sitecustomize.py", folder / "site")
    path = tmp_path / "r.tg"
    done = subprocess.run(
        [folder / "tidegauge", "run", "-q", "--interval", "50ms", "--record", path, "--", python_here, "-c",
         f"import os, sys; sys.path.insert(0, {str(PROGRAMS)!r}); import trainer; trainer.train(); print(os.environ.get('LD_PRELOAD'))"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "None\n", "")
    from test_marks import events_of

    assert steps_of(events_of(path)) == [1, 3]


@pytest.fixture
def python_here():
    import sys

    return sys.executable


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_a_job_that_becomes_another_user_hears_nothing_of_a_library_that_this_user_cannot_read(tidegauge, call, script, tmp_path):
    """Else its linker complains on the job's stderr, in every process."""
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    for path in (tidegauge, tidegauge.parent / "libtidegauge_probe.so"):
        shutil.copy(path, hidden)
    (hidden / "site").mkdir()
    shutil.copy(ROOT / "probe" / "sitecustomize.py", hidden / "site")
    script("""
        import subprocess, sys
        print(subprocess.run(["/bin/sh", "-c", "/bin/true; exec /bin/true"], capture_output=True, text=True).stderr)
        print(subprocess.run([sys.argv[1], "-c", "import sys; print(sys.modules.get('sitecustomize'))"], capture_output=True, text=True).stderr)
    """)  # fmt: skip
    words = [hidden / "tidegauge", "run", "-q", "--no-record", "--", "setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "/usr/bin/python3", "-c",
             (tmp_path / "job.py").read_text(), "/usr/bin/python3"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split() == [] and done.stderr == "", (done.stdout, done.stderr)
