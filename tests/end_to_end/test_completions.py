# SPDX-License-Identifier: Apache-2.0
"""Each shell itself is asked what it would offer, and must offer what --help lists."""
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from check_docs import Binary  # noqa: E402

BASH = """source completions/tidegauge.bash
COMP_WORDS=(tidegauge "$@"); COMP_CWORD=$#; _tidegauge; printf '%s\\n' "${COMPREPLY[@]}" """
FISH = """source completions/tidegauge.fish; complete -C "tidegauge $argv" """
# The function is asked what it tells zsh's machinery, which needs a terminal to run for real.
ZSH = """_arguments() { print -l -- "$@" }; _describe() { print -l -- ${(P)4} }
words=(tidegauge "$@"); CURRENT=$#words; source completions/_tidegauge"""
# How to give a script its words: the last one is its name, or fish's sign that options are over.
SHELLS = {"bash": ["bash", "-c", BASH, "bash"], "fish": ["fish", "-c", FISH, "--"], "zsh": ["zsh", "-fc", ZSH, "zsh"]}


@pytest.fixture(params=SHELLS)
def offers(request):
    """offers("watch", "--"): the words that this shell would offer, without their descriptions."""
    if not shutil.which(request.param):
        pytest.skip(f"there is no {request.param} here")

    def ask(*words):
        command = [*SHELLS[request.param], *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        lines = [line.split("\t")[0].partition("[")[0].rpartition(")")[2] for line in done.stdout.splitlines()]
        return {line.partition(":")[0] if not line.startswith("-") else line for line in lines if line}

    return ask


def test_every_command_is_offered(offers, tidegauge):
    assert set(Binary(tidegauge).commands) <= offers("")


def test_every_option_of_every_command_is_offered_and_no_other(offers, tidegauge):
    binary = Binary(tidegauge)
    for command in binary.commands:
        offered = {word for word in offers(command, "--") if word.startswith("--")}
        assert offered - {"--help"} == binary.options(command), command
