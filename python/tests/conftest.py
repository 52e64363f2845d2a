# SPDX-License-Identifier: Apache-2.0
"""The package's tests. TIDEGAUGE_BINARY names the program; without it the one of the checkout's build is taken."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session", autouse=True)
def binary():
    from tidegauge._verdict import binary as find

    built = ROOT / "build" / "tidegauge"
    if "TIDEGAUGE_BINARY" not in os.environ and built.exists():
        os.environ["TIDEGAUGE_BINARY"] = str(built)
    return find()
