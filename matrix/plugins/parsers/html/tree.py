"""An HTML file as a tree of plain values: elements that never hold text for readers are left out, the rest keep their
tag, the attributes that mean something here, and their children. The only module here that speaks to selectolax."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from matrix.plugins.parsers.language import language_code

_DROPPED = frozenset(
    "script style noscript template iframe object embed svg math canvas audio video map head link meta base "  # noqa: SIM905  # shorter to read
    "select button input textarea datalist dialog option frame frameset noframes".split()
)
_KEPT_ATTRIBUTES = {"id", "class", "role", "itemprop", "href", "style", "hidden", "aria-hidden", "start", "colspan"}


@dataclass(slots=True)
class Element:
    """`children` are elements and texts, in order; texts are as they stand in the source, white space included."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def names(self) -> str:
        """Class and id, which authors name after what the element is for."""
        return f"{self.attributes.get('class', '')} {self.attributes.get('id', '')}".lower()

    @property
    def elements(self) -> list[Element]:
        return [child for child in self.children if isinstance(child, Element)]


@dataclass(frozen=True, slots=True)
class HtmlPage:
    body: Element
    title: str | None
    language: str | None
    canonical_url: str | None


def read_tree(markup: str) -> HtmlPage:
    document = LexborHTMLParser(markup)
    root = document.root
    body = document.body
    return HtmlPage(
        body=_element(body) if body is not None else Element("body"),
        title=_title(document),
        language=language_code(root.attributes.get("lang") or "") if root is not None else None,
        canonical_url=_canonical(document),
    )


def _element(node: LexborNode) -> Element:
    kept = {name: value or "" for name, value in node.attributes.items() if name in _KEPT_ATTRIBUTES}
    element = Element(node.tag or "", kept)
    for child in node.iter(include_text=True):
        if child.is_text_node:
            element.children.append(child.text_content or "")
        elif child.is_element_node and child.tag not in _DROPPED:
            element.children.append(_element(child))
    return element


def _title(document: LexborHTMLParser) -> str | None:
    for selector, attribute in (("meta[property='og:title']", "content"), ("title", None)):
        node = document.css_first(selector)
        if node is not None:
            text = node.attributes.get(attribute) if attribute else node.text()
            if text and (words := " ".join(text.split())):
                return words
    return None


def _canonical(document: LexborHTMLParser) -> str | None:
    for selector, attribute in (("link[rel~='canonical']", "href"), ("meta[property='og:url']", "content")):
        node = document.css_first(selector)
        address = (node.attributes.get(attribute) or "").strip() if node is not None else ""
        if _is_web_address(address):
            return address
    return None


def _is_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
