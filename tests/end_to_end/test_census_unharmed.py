# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` does no harm to the process that it reads, not even when it is killed."""
import subprocess
import sys

import pytest
from conftest import ROOT

ENDURANCE = ROOT / "bench" / "census" / "endurance.py"


@pytest.mark.parametrize(
    "words",
    [["--times", "30"], ["--times", "20", "--kill", "census"], ["--times", "30", "--kill", "hand"], ["--times", "20", "--kill", "both"]],
    ids=" ".join,
)
def test_a_busy_process_is_not_harmed(tidegauge, home, words):
    """With epoll, signals, forks and the collector at work; then by censuses that are killed at any moment."""
    done = subprocess.run([sys.executable, ENDURANCE, tidegauge, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
