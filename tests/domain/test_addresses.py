"""Which addresses a person may name."""

from __future__ import annotations

import pytest

from matrix.domain.addresses import check_url
from matrix.errors import InvalidInput

pytestmark = pytest.mark.feature("H2")

PRIVATE = [
    "http://localhost/v1", "http://LOCALHOST./v1", "http://localhost:11434/v1", "http://api.localhost/", "http://printer/",
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/",
    "http://10.0.0.1/", "http://169.254.169.254/latest", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[fe80::1%25eth0]/",
    "http://ｌｏｃａｌｈｏｓｔ/", "http://１２７.0.0.1/", "http://metadata.google.internal/", "http://nas.local/", "http://a.home.arpa/",
    "https://example.org:8443/", "http://example.org:22/", "http://1.2.3.999/", "http://a..b/", "http://exa$mple.org/",
]  # fmt: skip
MALFORMED = [
    "", "example.org", "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "javascript:alert(1)",
    "//example.org/",
    "http://", "http:///v1", "http://user@example.org/", "http://user:pw@example.org/", "http://example.org@127.0.0.1/",
    "http://example.org/#x", "http://example.org/#", "http://example.org:0/", "http://example.org:65536/", "http://example.org:x/",
    "http://[::1/", "http://example.org\\@127.0.0.1/", "http://exa mple.org/", "http://example.org/\n", " http://example.org/",
    "http://example.org/\u202e", "http://example.org/" + "x" * 2000,
]  # fmt: skip


@pytest.mark.parametrize("url", PRIVATE)
def test_what_is_not_public_is_refused_with_the_setting(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_url(url, (), "baseUrl")
    assert (refused.value.code, refused.value.field) == ("address_forbidden", "baseUrl")
    assert 'MATRIX_ALLOWED_PRIVATE_HOSTS=["' in refused.value.advice


@pytest.mark.parametrize("url", MALFORMED, ids=lambda url: url[:30])
def test_what_is_no_address_is_refused(url: str) -> None:
    for allowed in ((), ("example.org", "127.0.0.1", "::1")):
        with pytest.raises(InvalidInput) as refused:
            check_url(url, allowed, "baseUrl")
        assert (refused.value.code, refused.value.field) == ("invalid_input", "baseUrl")


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.org/v1",
        "http://example.org",
        "HTTPS://Example.org:443/v1?x=1",
        "https://93.184.216.34/",
        "https://[2606:4700::1111]/",
        "https://bücher.example/",
    ],
)
def test_what_is_public_passes(url: str) -> None:
    assert check_url(url, (), "baseUrl") == url


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://localhost:11434/v1", "localhost:11434"),
        ("http://LocalHost:11434/v1", "localhost"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
        ("http://[::1]/v1", "::1"),
        ("http://models.corp:9000", "Models.corp"),
        ("http://10.0.0.7/v1", "10.0.0.7:80"),
    ],
)
def test_what_is_listed_passes(url: str, allowed: str) -> None:
    assert check_url(url, (allowed,), "baseUrl") == url


def test_a_listed_port_opens_no_other() -> None:
    with pytest.raises(InvalidInput, match="Port 22"):
        check_url("http://localhost:22/", ("localhost:11434",), "baseUrl")
