"""Every reason for which a document fails says its cause and its remedy, in words for people."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from matrix.domain.document_failures import REASONS, FailureCode, document_failure

PACKAGE = Path(__file__).parents[2] / "matrix"
OURS_ALONE = (
    "parser",
    "signal",
    "status",
    "child",
    "process ended",
    "nonsense",
    "traceback",
    "exception",
    "blob",
    "key",
)


@pytest.mark.feature("B6")
@pytest.mark.parametrize("code", FailureCode)
def test_a_failure_says_cause_and_remedy_plainly(code: FailureCode) -> None:
    failure = document_failure(code)
    assert failure.code == code.value
    for sentence in (failure.message, failure.advice):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert len(sentence) > 20
        assert not [word for word in OURS_ALONE if word in sentence.lower()]
    assert failure.message != failure.advice


@pytest.mark.feature("B6")
def test_no_document_fails_without_one_of_the_reasons() -> None:
    """Only the table of reasons makes a DocumentError; the sandbox passes on what its child made of the table."""
    makers = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "DocumentError"
    }
    assert makers == {"domain/document_failures.py"}
    assert set(REASONS) == set(FailureCode)


def test_a_cause_may_say_more_and_keeps_the_remedy() -> None:
    failure = document_failure(FailureCode.CORRUPT, "The file is not a readable PDF: its structure is broken.")
    assert failure.message == "The file is not a readable PDF: its structure is broken."
    assert failure.advice == REASONS[FailureCode.CORRUPT][1]
