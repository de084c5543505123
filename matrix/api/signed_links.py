"""Links that carry their own permission for ten minutes: one method on one path, for one credential. Pure: whether that
still stands, and may see what the link leads to, is checked again when it is used."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from matrix.errors import NotAuthenticated

LINK_SECONDS = 600


@dataclass(frozen=True, slots=True)
class SignedLink:
    """`url` is path and query, without a host; `expires` are seconds since 1970."""

    url: str
    expires: int


class LinkSigner:
    """Makes and checks links with one key. `holder` names the credential that a link is worth as much as."""

    def __init__(self, key: bytes, clock: Callable[[], float] = time.time) -> None:
        self._key = key
        self._clock = clock

    def sign(self, method: str, path: str, holder: str) -> SignedLink:
        expires = int(self._clock()) + LINK_SECONDS
        query = urlencode(
            {"holder": holder, "expires": expires, "signature": self._signature(method, path, holder, expires)}
        )
        return SignedLink(f"{quote(path)}?{query}", expires)

    def check(self, method: str, path: str, holder: str, expires: int, signature: str) -> None:
        """Errors: NotAuthenticated (forged, for another method, path or holder, or over)."""
        expected = self._signature(method, path, holder, expires)
        if not hmac.compare_digest(signature.encode(), expected.encode()):
            raise NotAuthenticated("This link is not valid.", code="bad_link", advice="Ask for a new link.")
        if expires < self._clock():
            raise NotAuthenticated("This link has expired.", code="link_expired", advice="Ask for a new link.")

    def _signature(self, method: str, path: str, holder: str, expires: int) -> str:
        text = json.dumps([method.upper(), path, holder, expires])
        return hmac.new(self._key, text.encode(), "sha256").hexdigest()
