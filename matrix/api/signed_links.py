"""Links that carry their own permission for ten minutes: one method on one path, for one person. Pure: that the person
is still a member and may see what the link leads to is checked again by the route."""

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
    """Makes and checks links with one key."""

    def __init__(self, key: bytes, clock: Callable[[], float] = time.time) -> None:
        self._key = key
        self._clock = clock

    def sign(self, method: str, path: str, user_id: str) -> SignedLink:
        expires = int(self._clock()) + LINK_SECONDS
        query = urlencode(
            {"user": user_id, "expires": expires, "signature": self._signature(method, path, user_id, expires)}
        )
        return SignedLink(f"{quote(path)}?{query}", expires)

    def check(self, method: str, path: str, user_id: str, expires: int, signature: str) -> None:
        """Errors: NotAuthenticated (forged, for another method, path or person, or over)."""
        expected = self._signature(method, path, user_id, expires)
        if not hmac.compare_digest(signature.encode(), expected.encode()):
            raise NotAuthenticated("This link is not valid.", code="bad_link", advice="Ask for a new link.")
        if expires < self._clock():
            raise NotAuthenticated("This link has expired.", code="link_expired", advice="Ask for a new link.")

    def _signature(self, method: str, path: str, user_id: str, expires: int) -> str:
        text = json.dumps([method.upper(), path, user_id, expires])
        return hmac.new(self._key, text.encode(), "sha256").hexdigest()
