# SPDX-License-Identifier: Apache-2.0
"""The examples of the documents run; those of docs/python.md that need no framework are marked `<!-- run -->`."""
import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = [
    pytest.param(found.group(1), id=f"{name}:{text[: found.start()].count(chr(10)) + 1}")
    for name in ("python.md", "remedies.md")
    for text in [(DOCS / name).read_text(encoding="utf-8")]
    for found in re.finditer(r"<!-- run -->\n```python\n(.*?)^```", text, re.M | re.S)
]


def test_there_are_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("source", EXAMPLES)
def test_example(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(source, "example", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("name", ["python.md", "remedies.md"])
def test_every_example_can_be_compiled(name):
    for source in re.findall(r"^```python\n(.*?)^```", (DOCS / name).read_text(encoding="utf-8"), re.M | re.S):
        compile(source, name, "exec")
