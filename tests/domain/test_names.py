"""Names of things."""

from __future__ import annotations

import pytest

from matrix.domain.names import LONGEST_NAME, check_name
from matrix.errors import InvalidInput

pytestmark = pytest.mark.feature("A1")


@pytest.mark.parametrize(
    "name",
    [
        "A",
        "x" * LONGEST_NAME,
        "日本語",
        "Überblick – Teil 2",
        "\U0001f469\u200d\U0001f680 crew",
        "a \u200fb",
        "O'Neil & <b>",
    ],
)
def test_good_names_stay_as_they_are(name: str) -> None:
    assert check_name(f"  {name}\t") == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  ",
        "\n",
        "x" * (LONGEST_NAME + 1),
        "a\nb",
        "a\x00b",
        "a\x1b[31m",
        "\ud800",
        "a\u2028b",
        "a\u202eb",
        "\u200b",
        "\u200d\u200e",
    ],
)
def test_bad_names_are_told(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_name(name, "title")
    assert refused.value.field == "title"


def test_names_that_read_the_same_are_the_same() -> None:
    assert check_name("\ufeffHand\u00adbook\u200b") == "Handbook"
