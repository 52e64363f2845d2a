# SPDX-License-Identifier: Apache-2.0
"""The Makefile's promises that need no network and no build."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_make_alone_lists_every_target():
    told = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M)[1].split()
    assert re.findall(r"^  make ([\w-]+)", told, re.M) == phony


def test_install_puts_a_working_binary_in_place(tidegauge, tmp_path):
    done = subprocess.run(
        ["cmake", "--install", tidegauge.parent, "--prefix", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "bin" / "tidegauge", "--version"], stdout=subprocess.DEVNULL).returncode == 0
