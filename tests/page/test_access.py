# SPDX-License-Identifier: Apache-2.0
"""For those who do not see it or do not use a mouse."""
import pathlib

import pytest

AXE = pathlib.Path(__file__).resolve().parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


def check(view):
    view.page.add_script_tag(path=str(AXE))
    found = view.page.evaluate("axe.run()")
    problems = [(rule["id"], [node["html"][:160] for node in rule["nodes"]][:3]) for rule in found["violations"]]
    assert problems == []
    assert len(found["passes"]) > 25


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("name", [("incident",), ("incident", 190), ("leak",), ("hostile",), ("holders",), ("profiled",)])
def test_axe_finds_nothing(report, look, name, phone, dark):
    check(look(report(*name), dark=dark, phone=phone, bypass_csp=True))


@pytest.mark.parametrize("phone, dark", [(False, False), (True, True)])
def test_axe_finds_nothing_side_by_side(sides, look, phone, dark):
    check(look(sides("incident", "on_demand"), dark=dark, phone=phone, bypass_csp=True))


def test_everything_can_be_reached_by_keyboard(report, look):
    view = look(report("incident"))
    reached = []
    for _ in range(40):
        view.page.keyboard.press("Tab")
        reached.append(view.page.evaluate("document.activeElement.className + '|' + (document.activeElement.textContent ?? '').slice(0, 20)"))
    text = " ".join(reached)
    for wanted in ("Download data", "By kind", "Steps", "plot", "Most", "All as JSON"):
        assert wanted in text, reached
