# SPDX-License-Identifier: Apache-2.0
"""The incident's job with and without the remedy (bench/python/remedy_job.py): the plateau is gone, the loss is the same, and what it
costs is said."""
import json
import subprocess
import sys

import pytest
from conftest import ROOT, with_package

MIB = 1 << 20
SIZE = (410, 430)
DECODED = 663 * 4 * SIZE[0] * SIZE[1]  # bytes of all images, at 4 bytes a pixel
STEPS_PER_EPOCH = 83


@pytest.fixture(scope="module")
def results(tidegauge, tmp_path_factory):
    folder = tmp_path_factory.mktemp("remedy")
    found = {}
    for remedy in ("none", "on_demand"):
        out, verdict = folder / f"{remedy}.json", folder / f"{remedy}.verdict.json"
        subprocess.run(
            [str(word) for word in (tidegauge, "run", "-q", "--interval", "200ms", "--no-record", "--json", verdict, "--", sys.executable,
                                    ROOT / "bench" / "python" / "remedy_job.py", folder / "images", remedy, out, *SIZE)],
            check=True, env=with_package(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        found[remedy] = json.loads(out.read_text())
        found[remedy]["verdict"] = json.loads(verdict.read_text())["verdicts"][0]
    return found


def private(result, step):
    return next(row[2] for row in result["rows"] if row[0] == step)


def milliseconds(result, first_epoch):
    rows = result["rows"]
    times = [b[1] - a[1] for a, b in zip(rows, rows[1:]) if (b[0] <= STEPS_PER_EPOCH) == first_epoch]
    return 1000 * sum(times) / len(times)


def test_the_plateau_is_taken_away(results):
    none, remedied = results["none"], results["on_demand"]
    assert private(none, 240) - private(none, 10) > 0.7 * DECODED * 73 / 83, "the job as it was grows by its decoded images"
    assert private(remedied, 240) - private(remedied, 10) < 30 * MIB
    assert remedied["verdict"]["class"] != "leak", remedied["verdict"]["words"]


def test_it_trains_the_same_and_its_cost_is_reported(results, record_property):
    assert results["none"]["loss"] == results["on_demand"]["loss"], "to the last bit"
    for first_epoch in (True, False):
        before, after = (milliseconds(results[remedy], first_epoch) for remedy in ("none", "on_demand"))
        when = "first epoch" if first_epoch else "later epochs"
        record_property(f"a step, {when}", f"{before:.0f} ms without, {after:.0f} ms with images on demand")
        print(f"a step, {when}: {before:.0f} ms without, {after:.0f} ms with images on demand")
        assert after < 3 * before, "it costs a decoding per image, no more"
