"""What an HTTP status means, and how a Retry-After is read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from matrix.errors import ProviderRefused, ProviderUnavailable
from matrix.plugins.vendors.failures import failure_of_status, read_retry_after


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, ProviderRefused), (401, ProviderRefused), (404, ProviderRefused), (422, ProviderRefused)]
    + [(s, ProviderUnavailable) for s in (408, 429, 500, 502, 503, 504, 529)],
)
def test_what_may_pass_and_what_lasts(status: int, kind: type[Exception]) -> None:
    assert type(failure_of_status("It", status, "words", key="k")) is kind


def test_the_providers_words_are_shortened_and_lose_the_key() -> None:
    message = failure_of_status("It", 400, "bad sk-1 " * 200, key="sk-1").message
    assert "sk-1" not in message
    assert "[key]" in message
    assert len(message) < 400


def test_a_refused_key_is_told_without_the_providers_words() -> None:
    assert "sk-" not in failure_of_status("It", 401, "wrong key sk-12****89", key="sk-123456789").message


@pytest.mark.parametrize(
    ("raw", "seconds"), [("7", 7), ("0.5", 0.5), ("-3", 0), ("", None), ("soon", None), ("nan", None), ("inf", None)]
)
def test_retry_after_as_a_number(raw: str, seconds: float | None) -> None:
    assert read_retry_after({"retry-after": raw}) == seconds


def test_retry_after_as_a_date() -> None:
    seconds = read_retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)})
    assert seconds is not None
    assert 3000 < seconds <= 3600
    assert read_retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert read_retry_after({}) is None
