"""What a provider's HTTP answer means to Matrix. No text that comes out of here holds the key."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from matrix.errors import ProviderError, ProviderRefused, ProviderUnavailable

_PASSING = frozenset({408, 409, 425, 429})
_LONGEST_DETAIL = 300  # characters of the provider's own words


def failure_of_status(
    provider: str, status: int, detail: str, *, key: str, retry_after: float | None = None
) -> ProviderError:
    """ProviderUnavailable for what may pass (429, 5xx), ProviderRefused for what will not."""
    if status in _PASSING or status >= 500:
        words = "asks to slow down" if status == 429 else "is out of order"
        return ProviderUnavailable(f"{provider} {words} (HTTP {status}).", retry_after=retry_after)
    if status in (401, 403):
        # its own words often quote the key, or pieces of it
        return ProviderRefused(f"{provider} does not accept the key (HTTP {status}).")
    return ProviderRefused(f"{provider} refused the request (HTTP {status}): {_without_key(detail, key)}")


def broken_reply(provider: str, what: str) -> ProviderError:
    """The provider answered, but with something that cannot be used."""
    return ProviderError(f"{provider} sent a broken reply: {what}.", code="broken_reply")


def unreachable(provider: str, what: str) -> ProviderUnavailable:
    return ProviderUnavailable(f"{provider} cannot be reached: {what}.")


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header (a number or a date), None where there is none that makes sense."""
    raw = headers.get("retry-after", "")
    try:
        seconds = float(raw)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(raw) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _without_key(text: str, key: str) -> str:
    clean = text.replace(key, "[key]") if key else text
    return clean if len(clean) <= _LONGEST_DETAIL else clean[:_LONGEST_DETAIL] + "…"
