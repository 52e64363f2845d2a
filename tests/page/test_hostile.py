# SPDX-License-Identifier: Apache-2.0
"""Names of processes, phases, notes and types are chosen by strangers: none of them runs, none breaks the page."""
import pytest


@pytest.mark.parametrize("phone", [False, True])
def test_names_are_shown_and_do_nothing(report, look, phone):
    view = look(report("hostile"), phone=phone)
    for cut in ("By process", "By kind", "Floor"):
        view.choose(cut)
    view.press("End", "+", "0")
    view.page.get_by_role("searchbox", name="Search places").fill("<img src=x")
    for key in ("Home", "ArrowDown", "ArrowDown", "Enter", "Escape"):
        view.page.locator("section.sites .stage").press(key)
    assert view.page.evaluate("window.pwned") is None
    assert view.page.locator("main img, main script, main iframe, main b:not([data-part])").count() == 0
    assert view.said == []
    assert view.fits()
    assert "<img src=x onerror=" in view.page.locator("tbody").first.inner_text() + view.page.locator("main").inner_text()


def test_a_long_name_does_not_push_the_answer_away(report, look):
    view = look(report("hostile"), phone=True)
    for name in ("rate", "limit", "cause", "remedy"):
        box = view.page.locator(f".fact-{name}").bounding_box()
        assert box["y"] + box["height"] <= 1000, name


def test_no_override_of_direction_reaches_the_reader(report, look):
    view = look(report("hostile"))
    shown = view.page.locator("main .process").all_inner_texts() + view.page.locator(".legend").all_inner_texts()
    for character in "\u202e\u2066\u001b\u0007\u0000":
        assert all(character not in text for text in shown)
    # What comes as it is, from a census, is fenced in.
    for element in view.page.locator("main code, main bdi").all():
        assert element.evaluate("(e) => getComputedStyle(e).unicodeBidi") in ("isolate", "isolate-override")


def test_the_policy_stops_what_escaping_would_miss(report, look, tmp_path):
    """With the fence of escaping taken down, the policy still lets no script in."""
    page = report("incident").read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    evil = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=2>"
    broken.write_text(page.replace('<div id="page"></div>', f'{evil}<div id="page"></div>'), encoding="utf-8")
    view = look(broken)
    assert view.page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in text for text in view.said)
