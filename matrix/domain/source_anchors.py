"""A source's URL pointed at some words of it: a PDF's page, or a text fragment of a web page. Other formats have no
anchor that viewers know."""

from __future__ import annotations

from urllib.parse import quote, urldefrag

PAGE = "#page="
TEXT = "#:~:text="
ANCHOR_WORDS = 8


def anchored(url: str | None, media_type: str, page: int | None, text: str) -> str | None:
    """The URL with its anchor; the URL as it is where the format has none."""
    if url is not None and media_type == "application/pdf" and page is not None:
        return f"{urldefrag(url).url}{PAGE}{page}"
    if url is not None and media_type == "text/html" and text:
        words = " ".join(text.split("\n", 1)[0].split()[:ANCHOR_WORDS])
        return f"{urldefrag(url).url}{TEXT}{quote(words, safe='')}"
    return url


def anchored_again(url: str | None, page: int | None, text: str) -> str | None:
    """An anchored URL pointed at other words of the same source."""
    if url is not None and PAGE in url:
        return anchored(url, "application/pdf", page, text)
    if url is not None and TEXT in url:
        return anchored(url, "text/html", page, text)
    return url
