"""Addresses, passwords and secrets as values."""

from __future__ import annotations

import pytest

from matrix.domain.accounts import (
    API_KEY_MARK,
    check_api_key_secret,
    check_email,
    check_password,
    new_api_key_secret,
    new_link_token,
)
from matrix.errors import InvalidInput

pytestmark = pytest.mark.feature("H1")


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("a@b", "a@b"),
        (" Ada.Lovelace+x@Example.ORG ", "ada.lovelace+x@example.org"),
        ("admin@matrix.local", "admin@matrix.local"),
        ("STRASSE@ß.de", "strasse@ss.de"),
        ("ａ＠ｂ.org", "a@b.org"),
        ("o'brien@example.org", "o'brien@example.org"),
    ],
)
def test_addresses_are_folded(given: str, stored: str) -> None:
    assert check_email(given) == stored


@pytest.mark.parametrize(
    "bad",
    ["", "@", "a@", "@b", "a b@c", "a@b@c", "a\n@b", "a\x00@b", "<a@b>", "x" * 65 + "@b", "a@" + "b" * 300, "a@b,c@d"],
)
def test_what_is_no_address_is_refused(bad: str) -> None:
    with pytest.raises(InvalidInput):
        check_email(bad)


@pytest.mark.parametrize("length", [12, 128])
def test_lengths_that_are_allowed(length: int) -> None:
    assert check_password("ü" * length) == "ü" * length


@pytest.mark.parametrize("length", [0, 11, 129, 100_000])
def test_lengths_that_are_not(length: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_password("x" * length, "newPassword")
    assert caught.value.field == "newPassword"


def test_secrets_are_long_and_never_the_same() -> None:
    assert new_api_key_secret() != new_api_key_secret()
    assert len(new_link_token()) >= 43
    assert check_api_key_secret(new_api_key_secret()).startswith(API_KEY_MARK)


@pytest.mark.parametrize("bad", ["", "mtx_", "mtx_short", "x" * 60])
def test_a_made_up_api_key_is_refused(bad: str) -> None:
    with pytest.raises(InvalidInput):
        check_api_key_secret(bad)
