# SPDX-License-Identifier: Apache-2.0
"""The plugin, by the tests that a user would write; the verdicts come from the real engine."""
import importlib.metadata
import importlib.util
import textwrap
import xml.etree.ElementTree

import pytest

from tidegauge.stable import FEWEST_STEPS, Stability

pytest_plugins = ["pytester"]


def installed():
    """Whether pytest finds the plugin by itself: the package is installed and not only on PYTHONPATH."""
    found = importlib.metadata.entry_points()
    points = found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", ())
    return any(point.value == "tidegauge.pytest_plugin" for point in points)


@pytest.fixture
def run(pytester):
    def of(source, *args):
        pytester.makepyfile(textwrap.dedent(source))
        plugin = () if installed() else ("-p", "tidegauge.pytest_plugin")
        return pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", *args)

    return of


LEAK = """
    import pytest
    kept = []

    @pytest.mark.memory_stable(per_step="64KB", budget="60s")
    def test_leak():
        kept.append(bytearray(200_000))  # never let go
"""

STABLE = """
    import pytest

    @pytest.mark.memory_stable(per_step="64KB")
    def test_stable(tmp_path):
        [bytearray(200_000) for _ in range(3)]
"""


def test_a_stable_body_passes(run):
    result = run(STABLE, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["stable * test_a_stable_body_passes.py::test_stable: * steps)"])


def test_a_leak_fails_with_verdict_rate_and_line(run):
    result = run(LEAK)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "memory is not stable: 19? KiB a step (* to *)",
            "*Leak: *19?*KiB per step with no end in sight.",
            "* 62.5 KiB a step allowed",
            "what piled up:",
            "*19? KiB a step stay of *.py:*: kept.append(bytearray(200_000))  # never let go",
        ]
    )


def test_objects_that_pile_up_are_named(run):
    result = run(
        """
        import pytest
        kept = []

        class Batch:
            def __init__(self):
                self.rows = [bytearray(50_000) for _ in range(4)]

        @pytest.mark.memory_stable
        def test_leak():
            kept.append(Batch())
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*1.0 more test_objects_that_pile_up_are_named.Batch a step"])


def test_a_warm_up_is_found_and_passes(run, pytester):
    result = run(
        """
        import itertools, pytest
        cache, number = {}, itertools.count()

        @pytest.mark.memory_stable(per_step="64KB")
        def test_cache():
            sum(range(100_000))
            n = next(number) % 60
            if n not in cache:
                cache[n] = bytearray(1_000_000)
        """,
        "--junitxml=out.xml",
    )
    result.assert_outcomes(passed=1)
    found = properties(pytester)
    assert found["tidegauge_class"] == "warm_up" and 50 <= int(found["tidegauge_settled_at_step"]) <= 75


def properties(pytester):
    tree = xml.etree.ElementTree.parse(pytester.path / "out.xml")
    return {one.get("name"): one.get("value") for one in tree.iter("property")}


def test_the_junit_file_has_the_numbers(run, pytester):
    run(LEAK, "--junitxml=out.xml").assert_outcomes(failed=1)
    found = properties(pytester)
    assert found["tidegauge_outcome"] == "leak" and found["tidegauge_class"] == "leak"
    assert 190_000 < int(found["tidegauge_bytes_per_step"]) < 215_000
    assert int(found["tidegauge_steps"]) > 100


UNDECIDED = """
    import pytest
    kept = []

    @pytest.mark.memory_stable(longest=40{more})
    def test_short():
        kept.append(bytearray(200_000))
"""


def test_too_small_a_budget_is_undecided_and_fails(run):
    result = run(UNDECIDED.format(more=""))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["cannot tell whether memory is stable: no more than 40 steps were allowed; about * more would tell"]
    )


@pytest.mark.parametrize("by", ["option", "ini", "marker"])
def test_undecided_may_skip(run, pytester, by):
    args = ["--memory-undecided=skip"] if by == "option" else []
    if by == "ini":
        pytester.makeini("[pytest]\nmemory_undecided = skip")
    result = run(UNDECIDED.format(more=', undecided="skip"' if by == "marker" else ""), *args)
    result.assert_outcomes(skipped=1)


def test_undecided_may_pass_with_a_warning(run):
    result = run(UNDECIDED.format(more=', undecided="pass"'))
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*UndecidedWarning: cannot tell whether memory is stable*"])


def test_a_budget_of_time_is_kept(run):
    slow = UNDECIDED.format(more="00000").replace("kept.append", "sum(range(100_000)); kept.append")
    result = run(slow, "--memory-budget=50ms")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the budget of 0.05 s is spent after * steps*"])


@pytest.mark.parametrize("leak", [0, 200_000])
def test_a_few_steps_show_nothing(leak):
    """Six of them once passed for steady, 200 KB a step or not."""
    for longest in range(1, FEWEST_STEPS, 3):
        kept, run = [], Stability(longest=longest)
        for _ in run.steps():
            kept.append(bytearray(leak))
        assert run.outcome == "undecided", run.explanation()
        assert run.explanation().startswith("cannot tell whether memory is stable: no more than"), run.explanation()


def test_growth_is_stopped_before_it_harms_the_machine(run):
    result = run(
        """
        import pytest
        kept = []

        @pytest.mark.memory_stable(at_most="200MB")
        def test_flood():
            kept.append(bytearray(20_000_000))
            assert len(kept) < 20
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["memory grows too much: it grew by more than 191 MiB in ?? steps*",
         "*kept.append(bytearray(20_000_000))"])


def test_a_slow_leak_within_what_is_allowed_passes(run):
    run(LEAK.replace("64KB", "1MB")).assert_outcomes(passed=1)


def test_a_smaller_allowance_needs_more_steps(run, pytester):
    tight = STABLE.replace("64KB", "100B")
    run(tight, "--junitxml=out.xml").assert_outcomes(passed=1)
    assert int(properties(pytester)["tidegauge_bytes_per_step_high"]) <= 100


def test_the_fixture_takes_a_function_or_a_loop(run):
    result = run(
        """
        kept = []

        def test_function(memory_stable):
            found = memory_stable(lambda: bytearray(100_000), per_step="64KB")
            assert found.outcome == "stable" and found.steps_done >= 100

        def test_loop(memory_stable):
            for n in memory_stable.steps(per_step="64KB"):
                bytearray(100_000)
            assert n >= 100

        def test_leaking_loop(memory_stable):
            for _ in memory_stable.steps():
                kept.append(bytearray(100_000))
        """
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*a step stay of *: kept.append(bytearray(100_000))"])


def test_a_body_that_fails_fails_as_always(run):
    result = run(
        """
        import pytest

        @pytest.mark.memory_stable
        @pytest.mark.parametrize("n", [1, 2])
        def test_wrong(n):
            assert n == 3
        """
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*assert 1 == 3"])


@pytest.mark.parametrize(
    "marker, words",
    [
        ("memory_stable('64KB')", "takes its options by name"),
        ("memory_stable(per_stp=1)", "has no per_stp"),
        ("memory_stable(per_step='64 apples')", "is no size"),
        ("memory_stable(undecided='maybe')", "it can be fail, skip, pass"),
    ],
)
def test_wrong_use_is_said(run, marker, words):
    result = run(f"import pytest\n@pytest.mark.{marker}\ndef test_x(): pass\n")
    assert result.ret != 0
    result.stdout.fnmatch_lines([f"*{words}*"])


def test_a_testcase_is_refused(run):
    result = run(
        """
        import pytest, unittest

        class TestOld(unittest.TestCase):
            @pytest.mark.memory_stable
            def test_x(self):
                pass
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*memory_stable cannot repeat a unittest.TestCase*"])


def test_without_the_program_a_test_does_not_pass(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TIDEGAUGE_BINARY", str(tmp_path / "none"))
    result = run(
        """
        import pytest
        import tidegauge.stable

        @pytest.fixture(autouse=True)
        def nothing_installed(monkeypatch):
            monkeypatch.setenv("PATH", "/nowhere")
            monkeypatch.setattr("tidegauge._verdict.__file__", "/nowhere/x.py")
            monkeypatch.setattr("sys.executable", "/nowhere/python")

        @pytest.mark.memory_stable
        def test_x():
            pass
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the tidegauge program is not installed*"])


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_xdist_workers_judge_their_own(run, pytester):
    source = "\n".join(line for part in (LEAK, STABLE) for line in textwrap.dedent(part).splitlines())
    result = run(source, "-n2", "--junitxml=out.xml", "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines_random(["what piled up:", "stable * *::test_stable: *", "leak * *::test_leak: *"])
    assert properties(pytester)["tidegauge_outcome"]
