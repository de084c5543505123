"""A pytest plugin: `-p tests.feature_table --features` prints which tests prove which feature, and their outcome.

Features are those of the design's list that some test is marked with; what is marked and what is finished is for
people to compare.
"""

from __future__ import annotations

import re
from collections import defaultdict

import pytest


class FeatureTable:
    """Collects the marks and the outcomes of a run."""

    def __init__(self) -> None:
        self._tests: dict[str, list[str]] = defaultdict(list)
        self._outcomes: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Runs what is marked, and nothing else."""
        marked = []
        for item in items:
            features = {str(feature) for mark in item.iter_markers("feature") for feature in mark.args}
            for feature in features:
                self._tests[feature].append(item.nodeid)
            if features:
                marked.append(item)
        items[:] = marked

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._outcomes[report.nodeid] = report.outcome

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("features")
        for feature in sorted(self._tests, key=_natural):
            tests = self._tests[feature]
            terminalreporter.write_line(f"{feature:4} {self._verdict(tests)}")
            for test in _without_parameters(tests):
                terminalreporter.write_line(f"       {test}")

    def _verdict(self, tests: list[str]) -> str:
        outcomes = [self._outcomes.get(test, "not run") for test in tests]
        return ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in sorted(set(outcomes)))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--features", action="store_true", help="run the tests that prove features and print the table")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--features"):
        config.pluginmanager.register(FeatureTable())


def _natural(feature: str) -> tuple[str, int]:
    letters, digits = re.fullmatch(r"([A-Z]+)(\d*)", feature).groups()  # type: ignore[union-attr]  # ids are checked
    return letters, int(digits or 0)


def _without_parameters(tests: list[str]) -> list[str]:
    return sorted({test.partition("[")[0] for test in tests})
