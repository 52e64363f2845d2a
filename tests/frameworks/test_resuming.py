# SPDX-License-Identifier: Apache-2.0
"""A training goes on from a checkpoint that it was asked for at any step, and ends as if it had never stopped: the same batches and
evaluations in the same order, and the same weights, optimizer, schedule and random generators, to the last bit.

TIDEGAUGE_EVERY_RESUME=1 tries all cases at all steps (half an hour of two cores) instead of those that have been wrong.
"""
import json
import os
import subprocess
import sys

import pytest
from conftest import JOBS, with_package

EVERYTHING = os.environ.get("TIDEGAUGE_EVERY_RESUME") == "1"
HOURS = 4 * 3600

# CASE@STEPS: the last step of an epoch, steps with an evaluation, the last of all; an epoch has 8 batches where nothing else is said.
EXACT = {
    "lightning": [
        "plain@7,8,24", "val=mid,accumulate=3,workers=2,schedule=plateau@1,3", "steps=1,val=end,limit=5,average=1,minimum=1@5",
        "schedule=plateau,monitor=train_loss,own=best@8", "own=best,from=own,val=end,schedule=plateau@8", "own=last,from=own,steps=1,val=end@16",
    ],
    "hf": ["val=end,accumulate=3,workers=2,batches=7@3", "own=epoch,val=end@3", "own=best,val=mid@3", "steps=2,accumulate=3@8"],
}  # fmt: skip
UNEQUAL = {"lightning": ["exactly=0@5", "loader=plain@5", "schedule=plateau,monitor=metric@5"], "hf": ["skip=0@5"]}


def results(kind, cases):
    done = subprocess.run([sys.executable, str(JOBS / "resumes.py"), kind, *cases], capture_output=True, text=True, env=with_package(), stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.timeout(HOURS)
@pytest.mark.parametrize("kind", EXACT)
def test_the_rest_is_the_same_to_the_last_bit_or_it_is_said(kind):
    exact = ["EXACT"] if EVERYTHING else EXACT[kind]
    found = results(kind, [*exact, *UNEQUAL[kind]])
    unequal = found[-len(UNEQUAL[kind]) :]
    for result in found[: -len(unequal)]:
        assert result.get("saved") and not result.get("wrong") and not result.get("said_unequal"), result
        assert result["steps"] == result["expected_steps"], result
    for result in unequal:  # other batches or dice, but as many steps
        assert result["said_unequal"] == result["saved"] == [5] and "steps" not in result["wrong"]["5"], result
