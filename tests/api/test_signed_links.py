"""Signed links: good for one method, path and credential, and for ten minutes."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from matrix.api.signed_links import LINK_SECONDS, LinkSigner
from matrix.errors import NotAuthenticated

PATH = "/api/orgs/acme/documents/d1/download"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def test_a_link_is_good_for_what_it_was_made_for() -> None:
    clock = Clock()
    signer = LinkSigner(b"key", clock)
    link = signer.sign("GET", PATH, "ann")
    query = query_of(link.url)
    clock.now += LINK_SECONDS
    signer.check("get", PATH, query["holder"], int(query["expires"]), query["signature"])
    assert urlsplit(link.url).path == PATH
    assert link.expires == 1_000_000 + LINK_SECONDS


@pytest.mark.parametrize(
    "changed", [{"method": "POST"}, {"path": PATH + "x"}, {"holder": "bob"}, {"expires": 2_000_000}, {"signature": "é"}]
)
def test_a_changed_link_is_refused(changed: dict[str, object]) -> None:
    signer = LinkSigner(b"key", Clock())
    query = query_of(signer.sign("GET", PATH, "ann").url)
    given = {"method": "GET", "path": PATH, **query, "expires": int(query["expires"]), **changed}
    with pytest.raises(NotAuthenticated) as refused:
        signer.check(given["method"], given["path"], given["holder"], given["expires"], given["signature"])
    assert refused.value.code == "bad_link"


def test_another_key_makes_other_links() -> None:
    query = query_of(LinkSigner(b"one", Clock()).sign("GET", PATH, "ann").url)
    with pytest.raises(NotAuthenticated):
        LinkSigner(b"two", Clock()).check("GET", PATH, "ann", int(query["expires"]), query["signature"])


def test_a_link_ends() -> None:
    clock = Clock()
    signer = LinkSigner(b"key", clock)
    query = query_of(signer.sign("GET", PATH, "ann").url)
    clock.now += LINK_SECONDS + 1
    with pytest.raises(NotAuthenticated) as refused:
        signer.check("GET", PATH, "ann", int(query["expires"]), query["signature"])
    assert refused.value.code == "link_expired"
