# SPDX-License-Identifier: Apache-2.0
"""`tidegauge census` twice, or again and again: what has grown in between, and who holds it."""
import subprocess
import sys

import pytest
from census_jobs import census_of

GROWS = """
import sys
class Box: __slots__ = ("load",)
kept = []
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(int(line)):
        box = Box()
        box.load = bytearray(5000)
        kept.append(box)
    print(len(kept), flush=True)
"""


@pytest.fixture
def grower(begin):
    program = begin([sys.executable, "-c", GROWS])
    program.answer()
    return program


def test_a_document_has_names_as_they_are(call, begin):
    """Numbers and units in our words stand apart by plain blanks in a pipe; names in a document keep theirs."""
    name = "No\u00a0Break"
    code = f"import sys\nkind = type({name!r}, (), {{}})\nkept = [kind() for _ in range(1000)]\nprint('ready', flush=True)\nsys.stdin.read()"
    program = begin([sys.executable, "-c", code])
    program.answer()
    for words in ((), ("--stream",)):
        assert f"__main__.{name}" in {entry["type"] for entry in census_of(call, program.pid, *words)["types"]}


def test_two_censuses_tell_what_grew_and_who_holds_it(call, grower, tmp_path):
    grower.ask("1000")
    before = tmp_path / "before.json"
    census_of(call, grower.pid, "-o", before)
    assert before.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["before.json"]
    grower.ask("2000")
    growth = census_of(call, grower.pid, "--diff", before)["growth"]
    types = {entry["type"]: entry for entry in growth["types"]}
    assert types["__main__.Box"]["count"] == 2000 and types["bytearray"]["count"] == 2000
    assert growth["types"][0]["type"] == "bytearray" and growth["types"][0]["bytes"] >= 2000 * 5000
    top = growth["retainers"][0]
    assert (top["type"], top["path"], top["count"]) == ("__main__.Box", "__main__.kept[*]", 2000)
    assert top["retained_bytes"] == pytest.approx(2000 * 5100, rel=0.02)
    text = call("census", grower.pid, "--diff", before).stdout
    assert "Who holds more" in text and "+2,000" in text and "__main__.kept[*]" in text


def test_what_is_no_census_is_no_basis(call, grower, tmp_path):
    (tmp_path / "no.json").write_text("{}")
    done = call("census", grower.pid, "--diff", tmp_path / "no.json")
    assert done.returncode == 2 and "no.json" in done.stderr and "census" in done.stderr
    done = call("census", grower.pid, "--diff", tmp_path / "missing.json")
    assert done.returncode == 3 and "missing.json" in done.stderr
    done = call("census", grower.pid, "-o", tmp_path / "no" / "folder")
    assert done.returncode == 3 and "folder" in done.stderr


def test_following_says_what_grows_until_it_is_told_to_end(tidegauge, home, grower):
    process = subprocess.Popen([tidegauge, "census", str(grower.pid), "--follow", "50ms"], stdout=subprocess.PIPE, text=True)
    lines = iter(process.stdout.readline, "")
    assert any("without stopping it" in line for line in lines)
    grower.ask("3000")
    assert any("+3,000" in line and "__main__.Box" in line for line in lines)
    process.terminate()
    process.stdout.read()
    assert process.wait(timeout=20) == 0
    assert grower.ask("1") == "3001"


def test_following_ends_with_the_process(tidegauge, home, grower):
    process = subprocess.Popen([tidegauge, "census", str(grower.pid), "--follow", "50ms"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline()
    grower.end()
    process.stdout.read()
    assert process.wait(timeout=20) == 0
