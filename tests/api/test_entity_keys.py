"""Keys made of names are good keys, and names in any script give different ones."""

from __future__ import annotations

import pytest

from matrix.api.entity_keys import key_from, told_apart
from matrix.domain.entities import check_key

pytestmark = pytest.mark.feature("A1")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Product Handbook", "product-handbook"),
        ("Überblick 2026", "uberblick-2026"),
        ("Straße", "strasse"),
        ("  --A--  ", "a"),
        ("42", "boats-42"),
        ("", "boats"),
        ("🧭", "boats"),
        ("x" * 200, "x" * 63),
    ],
)
def test_a_key_says_what_the_name_says(name: str, key: str) -> None:
    assert key_from(name, otherwise="boats") == key


@pytest.mark.parametrize(("name", "beginning"), [("日本2", "boats-2-"), ("Ελλάδα", "boats-"), ("日本 Guide", "guide-")])
def test_letters_without_a_place_in_a_key_are_made_up_for(name: str, beginning: str) -> None:
    first, second = key_from(name, otherwise="boats"), key_from(name, otherwise="boats")
    assert first.startswith(beginning) and first != second
    assert check_key(first) == first


def test_an_ending_keeps_within_the_length() -> None:
    assert len(told_apart("x" * 63)) == 63
    assert told_apart("a") != told_apart("a")
