# SPDX-License-Identifier: Apache-2.0
"""The Makefile's promises that need no network and no build."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_make_alone_lists_every_target():
    told = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M)[1].split()
    assert re.findall(r"^  make ([\w-]+)", told, re.M) == phony


@pytest.fixture(scope="module")
def installed(tidegauge, tmp_path_factory) -> pathlib.Path:
    prefix = tmp_path_factory.mktemp("installed")
    done = subprocess.run(["cmake", "--install", tidegauge.parent, "--prefix", prefix], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return prefix


def test_install_puts_a_working_binary_in_place(installed):
    done = subprocess.run([installed / "bin" / "tidegauge", "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert re.fullmatch(r"tidegauge \d+\.\d+\.\d+\n", done.stdout)


def test_install_puts_man_page_completions_and_guides_in_place(installed):
    for name in ("man/man1/tidegauge.1.gz", "bash-completion/completions/tidegauge", "zsh/site-functions/_tidegauge",
                 "fish/vendor_completions.d/tidegauge.fish", "doc/tidegauge/README.md", "doc/tidegauge/docs/marks.md"):
        assert (installed / "share" / name).stat().st_size > 0, name


def test_the_man_page_has_no_mistakes(installed):
    page = installed / "share/man/man1/tidegauge.1.gz"
    done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, env={**os.environ, "MANPAGER": "cat"})
    assert done.returncode == 0
    assert done.stderr == ""
    assert "EXIT STATUS" in done.stdout


def test_the_installed_header_is_enough_for_a_c_program(installed, tmp_path):
    source = tmp_path / "job.c"
    source.write_text("#include <tidegauge/mark.h>\nint main(void) { tidegauge_step(1); return tidegauge_watched(); }\n")
    subprocess.run(["cc", "-Wall", "-Werror", f"-I{installed}/include", source, "-o", tmp_path / "job"], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "TIDEGAUGE_RING"}
    assert subprocess.run([tmp_path / "job"], env=environment).returncode == 0
