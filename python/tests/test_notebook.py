# SPDX-License-Identifier: Apache-2.0
"""The magic in a real IPython shell in this process, and what it shows."""
import xml.etree.ElementTree

import pytest

pytest.importorskip("IPython")
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from IPython.utils.capture import capture_output  # noqa: E402

import tidegauge  # noqa: E402
from tidegauge._notebook import chart, sparkline, thinned, ticks  # noqa: E402
from tidegauge._verdict import Verdict  # noqa: E402


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    import os

    os.environ["IPYTHONDIR"] = str(tmp_path_factory.mktemp("ipython"))
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "tidegauge")
    yield shell
    InteractiveShell.clear_instance()


GROW = """
import os, tidegauge
keep = []
while gauge_looks() < 40:
    os.sched_yield()
    with tidegauge.phase("eval"):
        keep = [bytearray(30_000_000)]
len(keep)
"""


@pytest.fixture
def looks(shell, monkeypatch):
    """Lets a cell wait for the gauge that watches it."""
    current = []

    class Noted(tidegauge.watch):
        def __enter__(self):
            current.append(self)
            return super().__enter__()

    monkeypatch.setattr("tidegauge._notebook.watch", Noted)
    shell.user_ns["gauge_looks"] = lambda: current[-1].looks
    return shell


def run(shell, line, cell):
    with capture_output() as out:
        result = shell.run_cell(f"%%tidegauge {line}\n{cell}")
    return result, out


def test_a_cell_shows_its_chart_and_verdict(looks):
    result, out = run(looks, "--interval 20ms --into found", GROW)
    assert result.success and "1" in out.stdout  # the cell's own result
    (html,) = (o.data["text/html"] for o in out.outputs if "text/html" in o.data)
    found = looks.user_ns["found"]
    assert "<svg" in html and "<title>eval</title>" in html and found.verdict.headline[:20].split()[0] in html
    assert str(found.verdict) in repr(found) and "->" in repr(found)
    assert len(found.series) >= 35 and looks.user_ns["keep"]


def test_a_cell_that_fails_is_shown_and_fails(looks):
    result, out = run(looks, "--interval 20ms", "1 / 0")
    assert not result.success and "ZeroDivisionError" in out.stdout + out.stderr
    assert any("text/html" in o.data for o in out.outputs)


def test_without_the_program_the_cell_runs(looks, monkeypatch, tmp_path):
    monkeypatch.setattr("tidegauge._watch.binary", lambda: str(tmp_path / "none"))
    result, out = run(looks, "", "answer = 42")
    assert looks.user_ns["answer"] == 42 and any("could not watch" in o.data["text/html"] for o in out.outputs)


def test_the_svg_is_well_formed_whatever_a_phase_is_called():
    series = [(n / 10, 1_000_000 * n) for n in range(50)]
    root = xml.etree.ElementTree.fromstring(chart(series, [('<script>"&', 1.0, 2.0)]))
    assert root.tag.endswith("svg") and '<script>"&' in [element.text for element in root.iter() if element.text]
    assert chart([]) == "" == chart([(0, 1)])
    assert "nan" not in chart([(0, 0), (0, 0)]) and "inf" not in chart([(0, 0), (0, 0)])


def test_words_are_escaped():
    words = {"tag": "<b>", "headline": "<script>", "tone": "bad", "facts": [{"label": "<i>", "value": "1", "detail": None}]}
    html = Verdict({"class": "leak", "words": words})._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "&lt;i&gt;" in html


def test_spikes_survive_thinning():
    series = [(n, 1000 if n == 7777 else 1) for n in range(10_000)]
    assert len(thinned(series, 600)) <= 620 and (7777, 1000) in thinned(series, 600)


def test_ticks_and_bars():
    assert ticks(1000) == [0, 256, 512, 768] and ticks(0) == [0]
    assert sparkline([(0, 0), (1, 5), (2, 10)]) == "▁▄█" and sparkline([]) == ""
