# SPDX-License-Identifier: Apache-2.0
"""What `run` puts into Python processes: it arrives in each Python that is here, and none can tell the difference."""
import glob
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
from test_marks import events_of
from told_steps import steps_of, without_steps_between

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs"
TRAINER = PROGRAMS / "trainer.py"


def pythons():
    """Each Python from 3.9 on that can be found, by its version."""
    found = {}
    places = [sys.executable, *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))),
              *sorted(glob.glob("/usr/bin/python3.[0-9]*"))]  # fmt: skip
    for path in places:
        ask = "import sys; print('.'.join(map(str, sys.version_info[:3])), sys.prefix == sys.base_prefix)"
        done = subprocess.run([path, "-I", "-c", ask], capture_output=True, text=True)
        if done.returncode == 0 and tuple(map(int, done.stdout.split()[0].split(".")[:2])) >= (3, 9):
            kind = "debian" if path.startswith("/usr/bin") else "venv" if "False" in done.stdout else "built"
            found.setdefault(f"{done.stdout.split()[0]}-{kind}", path)
    return found


PYTHONS = pythons()
ALL = pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS.keys())


@pytest.fixture
def compare(call, tmp_path):
    """Runs a command without us and with us; output and exit code must be the same. Gives the marks."""

    def run(*words, env=None, exit_code=0, options=()):
        command = [str(word) for word in words]
        environment = {**os.environ, **(env or {})}
        plain = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment, cwd=tmp_path
        )
        path = tmp_path / "recording.tg"
        path.unlink(missing_ok=True)
        under = call("run", "-q", "--interval", "50ms", "--record", path, *options, "--", *command, env=environment, cwd=tmp_path)
        as_a_shell_says = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
        assert (under.stdout, under.stderr, under.returncode) == (plain.stdout, plain.stderr, as_a_shell_says)
        assert under.returncode == exit_code, plain.stderr
        return [event for event in events_of(path) if event.get("source", "kernel") != "kernel"] if path.exists() else []

    return run


@pytest.fixture
def script(tmp_path):
    def write(text, name="job.py"):
        (tmp_path / name).write_text(textwrap.dedent(text))
        return tmp_path / name

    return write


def told(marks):
    return [(mark["event"], mark.get("value"), mark.get("name")) for mark in without_steps_between(marks)]


OF_THE_TRAINER = [("step", 1, None), ("step", 3, None), ("phase_begin", None, "save"), ("phase_end", None, "save")]


@ALL
@pytest.mark.parametrize("flags", [(), ("-S",), ("-I",), ("-E",), ("-I", "-S", "-E", "-B"), ("-X", "dev"), ("-O", "-u")])
def test_marks_arrive(compare, python, flags):
    marks = [mark for mark in compare(python, *flags, TRAINER) if mark["event"] != "note"]
    assert told(marks) == OF_THE_TRAINER


@ALL
def test_nothing_can_be_seen_of_us(compare, python, script):
    compare(python, "-W", "error", script(f"""
        import gc, inspect, os, pickle, sys, threading, copy
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        from safetensors.torch import save_file
        assert pickle.loads(pickle.dumps(save_file)) is save_file and copy.deepcopy(save_file) is save_file
        print(inspect.signature(save_file), save_file.__name__, save_file.__doc__)
        print(trainer.train(), threading.active_count(), sorted(os.listdir("/proc/self/fd")), gc.callbacks, sys.excepthook)
        print(inspect.signature(trainer.CallbackHandler().on_step_end), sys.modules["safetensors.torch"].__spec__.loader.__dict__.keys())
        print([name for name in sys.modules if "tidegauge" in name], sys.path[1:], sys.argv, sys.gettrace(), sys.getprofile())
    """))  # fmt: skip


@ALL
def test_an_error_of_the_jobs_shows_no_line_of_ours(compare, python, script):
    job = script(f"""
        import sys
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        try:
            trainer.CallbackHandler().on_step_end(None, trainer.State, "raise")
        except RuntimeError:
            import traceback
            traceback.print_exc()
        trainer.save_file(None, "x")
    """)
    marks = compare(python, job, exit_code=1)
    assert told(marks)[-2:] == OF_THE_TRAINER[-2:], "a phase ends, however it ends"


@ALL
def test_an_error_of_ours_is_nobody_elses(compare, python, script):
    marks = compare(python, script(f"""
        import sys
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        class Odd:
            def __getattr__(self, name):
                raise ZeroDivisionError("not yours")
        print(trainer.CallbackHandler().on_step_end(None, Odd(), "go on"), trainer.train())
    """))  # fmt: skip
    assert steps_of(marks) == [1, 3]


@ALL
@pytest.mark.parametrize(
    ("end", "code"),
    [("sys.exit(7)", 7), ("os._exit(7)", 7), ("os.kill(os.getpid(), 9)", 137), ("raise KeyboardInterrupt", 130), ("1/0", 1)],
)
def test_a_job_ends_as_it_would(compare, python, script, end, code):
    job = script(f"""
        import os, sys
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        trainer.train()
        sys.stdout.flush()
        {end}
    """)
    compare(python, job, exit_code=code)


@ALL
@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_children_of_multiprocessing_are_heard(compare, python, script, method):
    marks = compare(python, script(f"""
        import multiprocessing, sys
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        if __name__ == "__main__":
            with multiprocessing.get_context({method!r}).Pool(2) as pool:
                print(pool.map(trainer.train, [3, 3, 3, 3], chunksize=2))
    """))  # fmt: skip
    assert sum(1 for mark in marks if mark["event"] == "phase_begin") == 4
    assert steps_of(marks), "their own pids"


@ALL
def test_forks_among_threads(compare, python, script):
    marks = compare(python, "-W", "ignore", script(f"""
        import os, sys, threading, time
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        going = True
        def work():
            while going:
                trainer.train()
                time.sleep(0.001)  # a flood would be thinned by its own rules
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        codes = set()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                trainer.train(5)
                os._exit(3)
            codes.add(os.waitpid(child, 0)[1])
        going = False
        for thread in threads:
            thread.join()
        print(codes)
    """))  # fmt: skip
    # A child that the gauge has seen has its five steps; those of the ones that came and went between two looks are the
    # tree's, which counts on.
    parent = next(m["pid"] for m in marks if "pid" in m)
    of_children = [m["value"] for m in marks if m["event"] == "step" and m.get("pid") != parent]
    assert of_children and of_children[-1] % 5 == 0


@ALL
def test_a_sub_interpreter_is_left_alone(compare, python, script):
    marks = compare(python, "-W", "ignore", script(f"""
        import sys
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        other = interpreters.create()
        found = interpreters.run_string(other, "import sys, time; sys.path.insert(0, {str(PROGRAMS)!r}); import trainer; trainer.train()")
        interpreters.destroy(other)
        print(trainer.train(), found)
    """))  # fmt: skip
    assert steps_of(marks) == [1, 3]


@ALL
def test_a_sitecustomize_of_the_users_runs(compare, python, script, tmp_path):
    script("print('the user was here')", "sitecustomize.py")
    marks = compare(python, TRAINER, env={"PYTHONPATH": str(tmp_path)})
    assert steps_of(marks) == [1, 3]


@ALL
def test_children_with_another_environment(compare, python, script):
    """PYTHONPATH changed or removed by the job does not matter; without any environment a child is not heard, and not harmed."""
    job = script(f"""
        import os, subprocess, sys
        run = lambda env: print(subprocess.run([sys.executable, {str(TRAINER)!r}], env=env, capture_output=True, text=True).stdout, end="")
        run({{**os.environ, "PYTHONPATH": "/nowhere"}})
        run({{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}})
        run({{}})
    """)
    marks = compare(python, job, env={"PYTHONPATH": "/elsewhere"})
    assert [mark[0] for mark in told(marks)].count("phase_begin") == 2


@ALL
def test_a_foreign_preload_stays(compare, python):
    marks = compare(python, TRAINER, env={"LD_PRELOAD": "libm.so.6"})
    assert steps_of(marks) == [1, 3]


@ALL
def test_a_job_outlives_its_gauge(tidegauge, home, tmp_path, python, script):
    job = script(f"""
        import sys
        sys.path.insert(0, {str(PROGRAMS)!r})
        import trainer
        trainer.train()
        print("ready", flush=True)
        sys.stdin.readline()
        print(trainer.train(50000), flush=True)
    """)
    gauge = subprocess.Popen(
        [tidegauge, "run", "-q", "--no-record", "--", python, str(job)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert gauge.stdout.readline() == "ready\n"
    gauge.kill()
    gauge.wait()
    gauge.stdin.write("go on\n")
    gauge.stdin.flush()
    assert gauge.stdout.readline() == "1\n"
    gauge.stdin.close()
    gauge.stdout.close()


@ALL
def test_hooks_can_be_left_out(call, home, python):
    path = home / "r.tg"
    done = call("run", "-q", "--no-hooks", "--interval", "50ms", "--record", path, "--", python, TRAINER)
    assert done.returncode == 0
    assert [event for event in events_of(path) if event.get("source", "kernel") != "kernel"] == []


@ALL
def test_a_full_disk_is_no_reason_to_fail(call, python, small_disk):
    full = small_disk("64k", full=True)
    environment = {**os.environ, "HOME": str(full), "TMPDIR": str(full), "XDG_DATA_HOME": str(full / "data")}
    done = call("run", "-q", "--", python, "-B", TRAINER, env=environment)
    assert (done.returncode, done.stdout.split()[0]) == (0, "1"), done.stderr
