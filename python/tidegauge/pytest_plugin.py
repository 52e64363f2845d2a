# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: tests whose memory must be stable. docs/python.md has the user's side.

    @pytest.mark.memory_stable(per_step="64KB")
    def test_one_training_step(model): …

    def test_loop(memory_stable):
        for _ in memory_stable.steps(per_step="64KB"): …
"""
from __future__ import annotations

import warnings
from typing import Any, Callable, Iterator, Optional

import pytest

from tidegauge.stable import BAD, BUDGET, Stability

UNDECIDED = ("fail", "skip", "pass")
OPTIONS = ("per_step", "budget", "at_most", "longest", "undecided")
MARKER = (
    "memory_stable(per_step='64KB', budget='60s', at_most='2GiB', longest=None, undecided=None): "
    "repeats the test until it is known whether its memory is stable (tidegauge)"
)


class UndecidedWarning(UserWarning):
    """A test ended before it was known whether its memory is stable."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tidegauge", "memory that must be stable")
    group.addoption("--memory-budget", metavar="TIME", help="most time for one test marked memory_stable [60s]")
    group.addoption("--memory-undecided", choices=UNDECIDED, help="what a test is that ends without an answer [fail]")
    parser.addini("memory_budget", "most time for one test marked memory_stable", default=BUDGET)
    parser.addini("memory_undecided", "fail, skip or pass (with a warning)", default="fail")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


class MemoryStable:
    """The fixture `memory_stable`: call it with a function, or loop over its steps()."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self.last: Optional[Stability] = None

    def __call__(self, body: Callable[[], Any], **options: Any) -> Stability:
        """Repeats `body()` until it is known whether its memory is stable; fails the test if it is not."""
        for _ in self.steps(**options):
            body()
        assert self.last is not None
        return self.last

    def steps(self, **options: Any) -> Iterator[int]:
        """The same for the body of a loop: `for n in memory_stable.steps(per_step="64KB"): …`"""
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise pytest.UsageError(f"memory_stable has no {', '.join(unknown)}; it has {', '.join(OPTIONS)}")
        undecided = options.pop("undecided", None) or self._setting("memory_undecided")
        if undecided not in UNDECIDED:
            raise pytest.UsageError(f"undecided is {undecided!r}; it can be {', '.join(UNDECIDED)}")
        options.setdefault("budget", self._setting("memory_budget"))
        run = self.last = Stability(**options)
        yield from run.steps()
        self._conclude(run, undecided)

    def _setting(self, name: str) -> str:
        return self._item.config.getoption(name) or self._item.config.getini(name)

    def _conclude(self, run: Stability, undecided: str) -> None:
        # Pairs of texts and numbers: they cross from an xdist worker, and go into JUnit files.
        self._item.user_properties.extend(run.properties())
        words = run.explanation()
        if run.outcome in BAD or (run.outcome == "undecided" and undecided == "fail"):
            pytest.fail(words, pytrace=False)
        if run.outcome == "undecided":
            if undecided == "skip":
                pytest.skip(words)
            warnings.warn(UndecidedWarning(words), stacklevel=3)


@pytest.fixture
def memory_stable(request: pytest.FixtureRequest) -> MemoryStable:
    """Repeats code until it is known whether its memory is stable, and fails the test if it is not."""
    return MemoryStable(request.node)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Optional[bool]:
    marker = pyfuncitem.get_closest_marker("memory_stable")
    if marker is None:
        return None
    if marker.args:
        raise pytest.UsageError("memory_stable takes its options by name: memory_stable(per_step='64KB')")
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    MemoryStable(pyfuncitem)(lambda: pyfuncitem.obj(**arguments), **marker.kwargs)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    if item.get_closest_marker("memory_stable") is not None and hasattr(item, "_testcase"):
        pytest.fail("memory_stable cannot repeat a unittest.TestCase; make it a function", pytrace=False)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if terminalreporter.verbosity < 1:
        return
    lines = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            found = dict(getattr(report, "user_properties", None) or ())
            if getattr(report, "when", "") == "call" and "tidegauge_outcome" in found:
                lines.append(f"{found['tidegauge_outcome']:<10} {report.nodeid}: {found.get('tidegauge_headline', '')} "
                             f"({found['tidegauge_steps']} steps)")  # fmt: skip
    if lines:
        terminalreporter.section("memory")
        for line in lines:
            terminalreporter.write_line(line)
