# SPDX-License-Identifier: Apache-2.0
"""The page as a reader uses it."""
import csv
import io
import json
import re
import subprocess

import pytest
import recordings
from playwright.sync_api import expect

NAMES = ("incident", "leak", "interrupted")


def text_of(view, selector):
    return re.sub(r"\s+", " ", view.page.locator(selector).inner_text()).strip()


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_loads_without_a_word_and_without_the_network(report, look, name, phone):
    view = look(report(name), phone=phone)
    assert view.said == []
    assert [url for url in view.asked if not url.startswith(("file:", "data:"))] == []
    assert view.fits()


def test_the_first_screen_has_the_answer(report, look):
    for view in (look(report("incident")), look(report("incident"), phone=True)):
        height = view.page.viewport_size["height"]
        assert text_of(view, ".tag") == "Not a leak"
        assert re.fullmatch(r"Memory grew and then stopped \(warm-up\)\. Confidence [89]\d %\.", text_of(view, ".note"))
        assert text_of(view, "h1") == "Growth ended at step 83."
        facts = {"rate": "215 MiB per step", "limit": "none in sight", "cause": "JpegImageFile", "remedy": "LazyImages"}
        for name, words in facts.items():
            cell = view.page.locator(f".fact-{name}")
            assert words in text_of(view, f".fact-{name}")
            box = cell.bounding_box()
            assert box["y"] + box["height"] <= height, f"{name} is not on the first screen"


def test_an_open_case_says_when_to_look_again(report, look):
    view = look(report("incident", 190))
    assert text_of(view, ".tag") == "Cannot tell yet"
    assert "Look again at step" in text_of(view, ".note")
    assert "if it goes on" in text_of(view, ".legend")
    view = look(report("leak"))
    assert text_of(view, ".tag") == "Leak"


KILLED = "The kernel killed train.py (pid 494): out of memory under the cgroup limit of 15.2 GiB, at the end."


@pytest.mark.parametrize("phone", [False, True])
def test_a_kill_stands_right_under_the_headline(report, look, phone):
    view = look(report("killed"), phone=phone)
    assert text_of(view, ".hero .killed") == KILLED
    tops = [view.page.locator(f".hero {place}").bounding_box()["y"] for place in ("h1", ".killed", ".lead")]
    assert tops == sorted(tops)
    assert text_of(view, ".note") != ""
    assert view.said == [] and view.fits()


def test_where_nobody_was_killed_nothing_is_said_of_it(report, look):
    page = report("incident")
    assert recordings.document_of(page)["killed"] is None
    assert look(page).page.locator(".killed").count() == 0


def test_keys_read_zoom_and_reset(report, look):
    view = look(report("incident"))
    view.press("Home")
    assert view.readout().startswith("0:00 · ")
    view.press("ArrowRight", "Shift+ArrowRight")
    assert view.readout().startswith("0:21 · step 3 · ")
    assert re.search(r"· \d\.\d\d GiB · floor \d\.\d\d GiB", view.readout())
    view.press("End")
    assert view.readout().startswith("7:00 · step 139 · 18.8 GiB · floor 18.8 GiB")
    view.press("+", "+")
    assert "Tables and events are about" in text_of(view, ".range")
    view.press("0")
    assert view.page.locator(".range").is_hidden()


def test_dragging_zooms_and_the_tables_follow(report, look):
    view = look(report("incident"))
    most = view.page.locator("tbody tr", has_text="train.py").first.locator("td").nth(4)
    expect(most).to_have_text("22.0\u00a0GiB")
    box = view.page.locator(".u-over").bounding_box()
    view.page.mouse.move(box["x"] + 5, box["y"] + 100)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 100, steps=4)
    view.page.mouse.up()
    view.frame()
    assert "about 0:02 to 1:45" in text_of(view, ".range")
    expect(most).to_have_text("7.66\u00a0GiB")
    view.page.get_by_role("button", name="Show all").first.click()
    expect(most).to_have_text("22.0\u00a0GiB")


@pytest.mark.parametrize("cut", ["Floor", "By process", "By kind"])
@pytest.mark.parametrize("axis", ["Time", "Steps"])
def test_each_way_to_cut_it(report, look, cut, axis):
    view = look(report("incident"))
    view.choose(cut)
    view.choose(axis)
    view.press("End")
    assert "step 139" in view.readout()
    legend = text_of(view, ".legend").replace("\u00a0", " ")
    expected = {"Floor": ["floor: what stays"], "By process": ["train.py 17.9 GiB", "20 compile workers", "uv 30.0 MiB"],
                "By kind": ["anonymous 18.", "file-backed", "shared 24.0 MiB"]}
    for words in expected[cut]:
        assert words in legend
    assert view.said == []


def test_processes_are_filtered_and_sorted(report, look):
    view = look(report("incident"))
    rows = view.page.locator("section", has=view.page.locator("#processes-title")).locator("tbody tr")
    assert rows.count() == 12
    view.page.get_by_role("button", name="Show all 22").click()
    assert rows.count() == 22
    view.page.get_by_label("Filter processes").fill("uv")
    assert rows.count() == 1
    assert "wrapper" in rows.first.inner_text()
    view.page.get_by_label("Filter processes").fill("")
    view.page.get_by_role("button", name="Most").first.click()
    assert "train.py" in rows.first.inner_text()
    view.page.get_by_role("button", name="Most").first.click()
    assert "uv" in rows.first.inner_text()


def test_who_holds_what_is_walked_by_keyboard(report, look):
    view = look(report("holders"))
    tree = view.page.get_by_role("treegrid")
    rows = lambda: [re.sub(r"\s+", " ", text).strip() for text in tree.locator("tbody tr").all_inner_texts()]  # noqa: E731
    assert rows()[0].startswith("train.Lazy.rows[*] 2 ways 2,628 16.3 GiB +")
    assert rows()[1].startswith("['image'] PIL.JpegImagePlugin.JpegImageFile 664 15.8 GiB +")  # what is large is open
    tree.locator("tr[tabindex='0']").focus()

    def press(*keys):
        for key in keys:
            view.page.keyboard.press(key)
        return re.sub(r"\s+", " ", view.page.evaluate("document.activeElement.innerText"))

    assert press("ArrowDown").startswith("['image']")
    assert press("ArrowDown").startswith("['labels'] 2 ways 1,964 477 MiB")
    assert len(rows()) == 5
    press("ArrowRight")
    assert len(rows()) == 7
    assert press("ArrowRight").startswith("itself dict 664 286 MiB")
    assert press("ArrowLeft").startswith("['labels']")
    assert press("ArrowLeft").startswith("['labels']") and len(rows()) == 5
    assert press("ArrowLeft").startswith("train.Lazy.rows[*]")
    assert press("Enter").startswith("train.Lazy.rows[*]") and len(rows()) == 3
    assert press("End").startswith("C code: str")
    assert press("Home").startswith("train.Lazy.rows[*]")
    tree.locator("tbody tr").first.click()
    assert len(rows()) == 5
    view.page.get_by_role("button", name="600").click()
    assert rows() == ["torch._inductor.pool[*] list 3 38.1 MiB +19.1 MiB"]


def test_the_picture_of_who_holds_what(report, look):
    """The icicle: keys walk through it, the mouse asks and zooms; a stretch of time has its own censuses."""
    view = look(report("holders"))
    card = view.page.locator("section", has=view.page.locator("#holdings-title"))
    stage, readout = card.locator(".stage"), card.locator(".icicle .readout")
    told = lambda: readout.inner_text().replace("\u00a0", " ")  # noqa: E731

    def press(key):
        stage.press(key)
        return told()

    assert press("Home").startswith("all · 17.0 GiB · 100 % of what is held · grew +")
    assert press("ArrowDown").startswith("train.Lazy.rows[*] · 16.3 GiB · 96 % of what is held")
    assert press("ArrowRight").startswith("trainer.Trainer.train() local 'self'.optimizer.state[*] · torch.Tensor · 668 MiB · 3.8 %")
    assert press("ArrowLeft").startswith("train.Lazy.rows[*]") and press("Enter").startswith("train.Lazy.rows[*]")
    assert press("ArrowDown").startswith("['image'] · PIL.JpegImagePlugin.JpegImageFile · 15.8 GiB")
    assert press("Escape").startswith("all")
    box = stage.bounding_box()
    view.page.mouse.move(box["x"] + 20, box["y"] + 36)
    tip = card.locator(".tip")
    expect(tip).to_contain_text("train.Lazy.rows[*]")
    view.page.mouse.click(box["x"] + box["width"] - 30, box["y"] + 36)
    assert told().startswith("trainer.Trainer.train()")
    card.get_by_role("button", name="Grew", exact=True).click()
    assert press("ArrowDown").startswith("train.Lazy.rows[*] · 16.3 GiB")
    # Of the first half there are other censuses: 1:40 and 3:20.
    assert "as of 7:00; grown since 1:40" in text_of(view, "section:has(#holdings-title)")
    view.page.locator(".plot").scroll_into_view_if_needed()
    box = view.page.locator(".u-over").bounding_box()
    view.page.mouse.move(box["x"] + 5, box["y"] + 100)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100, steps=4)
    view.page.mouse.up()
    expect(card).to_contain_text("as of 3:20; grown since 1:40")
    assert view.page.locator("section:has(#events-title)").is_hidden()
    assert view.said == []


def test_a_whole_census_beside_the_recording(tidegauge, look, tmp_path):
    recording = recordings.leak().write(tmp_path / "leak.tg")
    evil = "</script><img src=x onerror=alert(1)>"
    census = {"schema": "tidegauge/census/1", "pid": 77, "python": "3.12.1", "mode": "snapshot", "pause_ms": 12.5, "seconds": 1, "objects": 1234567,
              "bytes": 3 << 30, "types": [{"type": f"{evil}{i}", "count": i, "bytes": (500 - i) << 20, "native_bytes": 0, "retained_bytes": 600 << 20} for i in range(400)],
              "tensors": [{"device": "cpu", "dtype": "float32", "shape": [64, 3, 224, 224], "count": 9, "bytes": 1 << 30}], "arrays": [],
              "images": [{"dtype": "8-bit", "size": [640, 480], "count": 3, "bytes": 3 << 20}],
              "retainers": [{"path": f"serve.cache[*]{evil}", "root": "module", "type": evil, "count": 3, "retained_bytes": 1 << 30}],
              "garbage": {"count": 0, "bytes": 0}, "incomplete": None}
    (tmp_path / "leak.tg.census.json").write_text(json.dumps(census))
    subprocess.run([tidegauge, "report", recording], check=True, capture_output=True)
    view = look(tmp_path / "leak.tg.html")
    card = view.page.locator("section", has=view.page.locator("#census-title"))
    assert "1,234,567 objects, 3.00\u00a0GiB. It stood still for 13\u00a0ms." in card.inner_text()
    assert card.get_by_role("treegrid").locator("tbody tr").count() == 1
    card.get_by_role("button", name="Types").click()
    assert card.locator("tbody tr").count() == 12
    card.get_by_role("button", name="Show all 200").click()
    assert card.locator("tbody tr").count() == 200
    card.get_by_role("button", name="Tensors").click()
    assert re.sub(r"\s+", " ", card.locator("tbody").inner_text()) == "64 × 3 × 224 × 224 float32 cpu 9 1.00 GiB"
    assert card.get_by_role("button", name="Arrays").count() == 0
    assert view.said == [] and view.fits()


def test_gaps_and_restarts_break_the_curve(report, look):
    view = look(report("interrupted"))
    assert "no samples" in text_of(view, ".legend")
    view.press("Home", *["Shift+ArrowRight"] * 15)
    assert "no samples" in view.readout()


def test_what_there_is_not_is_left_out(report, look):
    view = look(report("leak"))
    assert view.page.locator("#causes-title").count() == 0
    assert view.page.locator("#holdings-title").count() == 0
    assert view.page.locator("#census-title").count() == 0
    assert view.page.locator("#sites-title").count() == 0
    assert view.page.locator("#events-title").count() == 0
    assert view.page.get_by_role("button", name="Steps").count() == 0


def test_theme(report, look):
    view = look(report("incident"), dark=True)
    card = "getComputedStyle(document.querySelector('.card')).backgroundColor"
    assert view.page.evaluate(card) == "rgb(16, 28, 35)"
    view.choose("Theme: light or dark")
    assert view.page.evaluate(card) == "rgb(255, 255, 255)"


def test_paper_is_light_and_short(report, look):
    view = look(report("incident"), dark=True)
    view.page.emulate_media(media="print")
    view.frame()
    assert view.page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor") == "rgb(255, 255, 255)"
    # Once it is paper, the canvas has the colours of paper, too.
    ink = view.page.evaluate("""() => {
      const canvas = document.querySelector("canvas");
      return Array.from(canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height - 60, 1, 1).data);
    }""")
    assert all(abs(a - b) < 12 for a, b in zip(ink, (10, 96, 120))), ink  # the floor's, as on white
    pdf = view.page.pdf(format="A4")
    assert 20_000 < len(pdf) < 1_500_000
    assert 1 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") <= 5


def test_data_can_be_taken_away(report, look, tmp_path):
    view = look(report("incident"), accept_downloads=True)
    with view.page.expect_download() as download:
        view.page.get_by_role("button", name="Download data").click()
    assert download.value.suggested_filename == "train.py.csv"
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert len(rows) == 421
    last = rows[-1]
    assert float(last["time"]) == 420 and float(last["step"]) == 139
    kinds = sum(float(last[name] or 0) for name in last if name in ("anonymous_bytes", "file-backed_bytes", "shared_bytes", "page tables_bytes"))
    assert abs(kinds - float(last["highest_bytes"])) < 1e6
    with view.page.expect_download() as download:
        view.page.get_by_role("button", name="All as JSON").click()
    document = json.loads(download.value.path().read_text())
    assert document["schema"] == "tidegauge/report/1"


def test_the_document_describes_how_to_read_it(report):
    """docs/report-format.md has a program that unpacks the series; it does."""
    document = (__import__("pathlib").Path(__file__).parents[2] / "docs" / "report-format.md").read_text()
    program = re.search(r"```python\n(.*?)```", document, re.S).group(1).replace("train.tg.html", str(report("incident")))
    names = {}
    exec(compile(program, "docs/report-format.md", "exec"), names)  # noqa: S102
    assert names["series"]["time"][-1] == 420_000
    assert len(names["series"]["low"]) == 421
