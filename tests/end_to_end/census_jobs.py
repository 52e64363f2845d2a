# SPDX-License-Identifier: Apache-2.0
"""What the census's tests share: a program whose heap is known, and what a census says of it."""
import json

from conftest import ROOT

HEAP = ROOT / "tests" / "programs" / "heap.py"


def census_of(call, pid, *words):
    done = call("census", pid, "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
