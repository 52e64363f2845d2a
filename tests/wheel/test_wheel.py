# SPDX-License-Identifier: Apache-2.0
"""The wheel in a clean environment of each Python that is here: it works there, and leaves nothing behind.

    WHEEL=out/tidegauge-….whl pytest tests/wheel
"""
import glob
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from told_steps import steps_of, without_steps_between

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEEL = pathlib.Path(os.environ["WHEEL"]).resolve()


def pythons():
    found = {}
    places = [sys._base_executable, *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))),
              *sorted(glob.glob("/usr/bin/python3.[0-9]*"))]  # fmt: skip
    for path in places:
        ask = "import sys; print('%d.%d' % sys.version_info[:2]); import venv, ensurepip"
        done = subprocess.run([path, "-I", "-c", ask], capture_output=True, text=True)
        if done.returncode == 0 and tuple(map(int, done.stdout.split(".")[:2])) >= (3, 9):
            found.setdefault(done.stdout.strip(), path)
    return found


PYTHONS = pythons()


def clean_environment(extra=()):
    """As if nothing of ours were set, and nothing of this environment's."""
    ours = ("TIDEGAUGE", "PYTHON", "LD_PRELOAD", "VIRTUAL_ENV")
    return {**{name: value for name, value in os.environ.items() if not name.startswith(ours)}, **dict(extra)}


class Environment:
    def __init__(self, folder, base):
        self.folder = folder
        subprocess.run([base, "-m", "venv", folder], check=True, capture_output=True)
        self.python = folder / "bin" / "python"
        self.home = folder.parent / "home"  # pip and its like leave things at home
        self.home.mkdir()

    def run(self, *words, **options):
        done = subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, timeout=110, stdin=subprocess.DEVNULL,
            cwd=self.folder, env=clean_environment({"HOME": str(self.home)}), **options,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def pip(self, *words):
        return self.run(self.python, "-m", "pip", "--disable-pip-version-check", *words)

    def files(self):
        everything = (path for path in self.folder.rglob("*") if "__pycache__" not in path.parts)
        return sorted(str(path.relative_to(self.folder)) for path in everything)


@pytest.fixture(scope="module", params=[pytest.param(path, id=name, marks=pytest.mark.xdist_group(name)) for name, path in PYTHONS.items()])
def environment(request, tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("clean") / "venv", request.param)


@pytest.fixture(scope="module")
def installed(environment):
    environment.before = environment.files()
    environment.pth = sorted(path.name for path in environment.folder.rglob("*.pth"))
    environment.pip("install", "--no-index", WHEEL)
    return environment


def events_of(recording):
    text = subprocess.run(["zstd", "-dcq", recording], capture_output=True, check=True, text=True).stdout
    return [line for line in map(json.loads, text.splitlines()) if line["kind"] == "event"]


def test_one_wheel_for_all_and_nothing_that_a_machine_may_lack():
    assert "-py3-none-manylinux_" in WHEEL.name
    names = zipfile.ZipFile(WHEEL).namelist()
    assert {"tidegauge/bin/tidegauge", "tidegauge/lib/tidegauge/libtidegauge_probe.so", "tidegauge/__init__.py"} <= set(names)
    grafted = {name.split("/")[-1].split("-")[0] for name in names if name.startswith("tidegauge.libs/")}
    assert {"libfmt", "libsimdjson"} <= grafted


def test_the_command_works(installed):
    assert installed.run(installed.folder / "bin" / "tidegauge", "--version").stdout.startswith("tidegauge ")
    assert installed.run(installed.python, "-m", "tidegauge", "--version").stdout.startswith("tidegauge ")


def test_a_job_is_heard_and_its_own_words_too(installed, tmp_path):
    job = tmp_path / "job.py"
    job.write_text(f"import sys; sys.path.insert(0, {str(ROOT / 'tests' / 'programs')!r})\n"
                   "import trainer, tidegauge\ntrainer.train()\ntidegauge.step(41)\n"
                   "with tidegauge.phase('eval'):\n    print('done')\n")  # fmt: skip
    recording = tmp_path / "r.tg"
    command = installed.folder / "bin" / "tidegauge"
    done = installed.run(command, "run", "-q", "--interval", "50ms", "--record", recording, "--", installed.python, job)
    assert done.stdout == "done\n"
    told = [(event["source"], event.get("value")) for event in without_steps_between(events_of(recording)) if event["event"] == "step"]
    assert told == [("framework", 1), ("framework", 3), ("explicit", 41)]


def test_a_job_that_knows_nothing_of_us_is_heard(installed, tmp_path):
    recording = tmp_path / "r.tg"
    command = installed.folder / "bin" / "tidegauge"
    job = ROOT / "tests" / "programs" / "trainer.py"
    installed.run(command, "run", "-q", "--interval", "50ms", "--record", recording, "--", installed.python, "-I", job)
    assert steps_of(events_of(recording)) == [1, 3]


def test_an_enabled_environment_finds_the_gauge_above_it(installed, tmp_path):
    """For launchers that empty the environment; only on request, and taken back as easily."""
    recording = tmp_path / "r.tg"
    command = installed.folder / "bin" / "tidegauge"
    job = [installed.python, ROOT / "tests" / "programs" / "trainer.py"]

    def steps():
        installed.run(command, "run", "-q", "--interval", "50ms", "--record", recording, "--", "env", "-i", *job)
        return steps_of(events_of(recording))

    assert steps() == []
    installed.run(installed.python, "-m", "tidegauge", "enable")
    assert steps() == [1, 3]
    assert installed.run(*job).stdout, "without a gauge it is as if nothing were there"
    installed.run(installed.python, "-m", "tidegauge", "disable")
    assert steps() == []


def test_disabling_takes_back_all_that_enabling_did(installed):
    (files,) = installed.folder.glob("lib/python3*/site-packages/tidegauge-*.dist-info/RECORD")
    before = files.read_bytes()
    installed.run(installed.python, "-m", "tidegauge", "enable")
    assert files.read_bytes() != before
    installed.run(installed.python, "-m", "tidegauge", "enable")  # twice is as good as once
    assert installed.run(installed.python, "-m", "tidegauge", "disable").stdout == ""
    assert (files.read_bytes(), sorted(path.name for path in files.parents[1].glob("*.pth"))) == (before, installed.pth)
    assert installed.run(installed.python, "-m", "tidegauge", "disable").stdout == "It was not enabled.\n"


def test_uninstalling_leaves_nothing_behind_even_where_it_was_enabled(installed):
    installed.run(installed.python, "-m", "tidegauge", "enable")
    assert any(name.endswith("/tidegauge-enabled.pth") for name in installed.files())
    installed.pip("uninstall", "--yes", "tidegauge")
    assert installed.files() == installed.before


def test_what_was_not_installed_cannot_be_enabled(environment):
    """Nobody would take the file away."""
    words = [environment.python, "-m", "tidegauge", "enable"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=environment.folder, env=clean_environment({"PYTHONPATH": str(ROOT / "python")}))
    assert done.returncode == 1 and "install it with pip" in done.stderr, done.stderr
    assert not list((ROOT / "python").glob("*.pth"))
