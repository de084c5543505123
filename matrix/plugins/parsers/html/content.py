"""Which part of a web page is its article: everything else (navigation, sharing, comments, teasers) is left out.

The rule is the one that reader views use, made smaller: what is marked or named as something else is cut away; each
paragraph votes for the elements around it; the element with most votes, less its share of link text, is the article,
together with like neighbours. A page where no element wins is read whole, and so is one that is no web page but a saved
document. Measured in `benchmarks/extraction.py`. Pure.
"""

from __future__ import annotations

import re

from matrix.plugins.parsers.html.measure import MOST_LINKS, Measured, measure
from matrix.plugins.parsers.html.tree import Element

_CUT_TAGS = {"nav", "aside", "footer", "figcaption"}
_CUT_ROLES = frozenset(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar".split()  # noqa: SIM905  # shorter
)
_CUT_NAMES = re.compile(
    r"(?:^|[\s_-])(?:ads?|advert\w*|ad-?\w*(?:slot|unit|container|wrapper)|author-?(?:bio|box|info|card)|banner|"
    r"breadcrumbs?|byline|caption|comments?|comment-?\w+|cookies?|consent|copyright|credits?|disqus\w*|footer|gallery|"
    r"gdpr|hidden|legal|login|masthead|menu|meta|modal|most-?(?:read|popular|viewed)|nav|navbar|navigation|newsletter\w*|"
    r"outbrain\w*|overlay|pager?|pagination|paywall|popular|popup|post-?meta|print|promo\w*|rail|read-?(?:more|next)|"
    r"recirc\w*|recommend\w*|related\w*|replies|rss|search\w*|share\w*|sharing|shop\w*|sidebar\w*|signup|skip\w*|"
    r"social\w*|sponsor\w*|subscri\w+|tags?|taboola\w*|teaser\w*|timestamp|toolbar|tools|trending|widget\w*|sign-?in|"
    r"more-?(?:on|from|news|stories))(?=$|[\s_-])"
)
_CONTENT_NAMES = re.compile(r"article|body|content|entry|main|post|story|text")
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0+(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)",
    re.IGNORECASE,
)
_ARTICLE_TAGS = {"article", "main"}
_BLOCKS = {"div", "section", "ul", "ol", "table", "dl", "h2", "h3", "h4", "h5", "h6"}

_SHORTEST_ARTICLE = 140  # letters
_LEAST_SHARE = 0.1  # of the page's prose: an element with less is not its article
_MOST_CUT_BY_NAME = 0.3  # of the page's prose: names err
_MOST_CUT_BY_TAG = 0.7
_FEW_LINKS = 0.15
_LEVELS = 4  # up which a vote counts
_PIECES_UP = 3  # levels up at which the pieces of an article are looked for


def main_content(body: Element) -> Element:
    """The article as an element of its own, without what no reader of the page sees. Some pages hide all they say
    until a script runs; those are read as they are."""
    shown = _without_hidden(body)
    page = measure(shown)
    if not page.letters:
        shown, page = body, measure(body)
    if _is_plain_document(page):
        return shown
    whole = measure(_without_cut(page, page.prose))
    elements = list(whole.everything())
    for element in elements:
        _vote(element)
    best = max(elements, key=_score)
    if best.letters < _SHORTEST_ARTICLE or best.prose < _LEAST_SHARE * whole.prose:
        best = whole
    return Element("body", {}, [_without_link_lists(piece) for piece in _pieces(best)])


def _without_hidden(element: Element) -> Element:
    children = [
        child if isinstance(child, str) else _without_hidden(child)
        for child in element.children
        if isinstance(child, str) or not _is_hidden(child)
    ]
    return Element(element.tag, element.attributes, children)


def _is_hidden(element: Element) -> bool:
    """By itself: what style sheets hide is not known. `until-found` is there for who searches."""
    return element.attributes.get("hidden", "until-found") != "until-found" or bool(
        _HIDDEN.search(element.attributes.get("style", ""))
    )


def _is_plain_document(page: Measured) -> bool:
    """Something written and saved, not a page of a site: hardly any links, and nothing around the text."""
    return page.link_share < _FEW_LINKS and not any(
        part.element.tag in _CUT_TAGS or part.element.attributes.get("role") in _CUT_ROLES for part in page.everything()
    )


def _without_cut(measured: Measured, all_prose: int, inside: bool = False) -> Element:
    """A copy without the elements that say that they are no article; `inside` is True within an article."""
    element = measured.element
    inside = inside or element.tag in _ARTICLE_TAGS
    children = [
        child if isinstance(child, str) else _without_cut(child, all_prose, inside)
        for child in measured.content
        if isinstance(child, str) or not _is_cut(child, all_prose, inside)
    ]
    return Element(element.tag, element.attributes, children)


def _is_cut(measured: Measured, all_prose: int, inside: bool) -> bool:
    if _is_marked(measured.element, inside):
        return measured.prose <= _MOST_CUT_BY_TAG * all_prose
    return _is_named_otherwise(measured.element) and measured.prose <= _MOST_CUT_BY_NAME * all_prose


def _is_marked(element: Element, inside: bool) -> bool:
    attributes = element.attributes
    if element.tag in _CUT_TAGS or (element.tag == "header" and not inside) or attributes.get("role") in _CUT_ROLES:
        return True
    return _is_hidden(element) or attributes.get("aria-hidden") == "true"


def _is_named_otherwise(element: Element) -> bool:
    if element.tag in _ARTICLE_TAGS or element.attributes.get("itemprop") == "articleBody":
        return False
    return _CUT_NAMES.search(element.names) is not None and "embed" not in element.names


def _vote(measured: Measured) -> None:
    """A paragraph votes for the elements around it, for the nearest most."""
    if not measured.is_paragraph:
        return
    worth = 1 + measured.commas + min(measured.direct / 100, 3)
    around = measured.parent
    for _ in range(_LEVELS):
        if around is None:
            return
        around.votes += worth
        around, worth = around.parent, worth / 1.6


def _score(measured: Measured) -> float:
    score = measured.votes * (1 - measured.link_share)
    if measured.element.attributes.get("itemprop") == "articleBody":
        return score * 2.0
    if measured.element.tag in _ARTICLE_TAGS:
        return score * 1.2
    return score * (1.1 if _CONTENT_NAMES.search(measured.element.names) else 1.0)


def _pieces(best: Measured) -> list[Measured]:
    """The article and what stands beside it in the same way: pictures and boxes cut articles in pieces."""
    piece = best
    for _ in range(_PIECES_UP):
        if piece.parent is None:
            break
        pieces = [beside for beside in piece.parent.children if beside is piece or _is_like(beside, piece)]
        if len(pieces) > 1:
            return pieces
        piece = piece.parent
    return [best]


def _is_like(measured: Measured, best: Measured) -> bool:
    if measured.element.tag == "p":
        return measured.letters > 80 and measured.link_share < 0.25
    if measured.link_share >= 0.3 or measured.element.tag != best.element.tag:
        return False
    same_name = measured.element.names.strip() != "" and measured.element.names == best.element.names
    return measured.votes > (0.05 if same_name else 0.25) * best.votes


def _without_link_lists(measured: Measured) -> Element:
    """The element without blocks that are mostly links: lists of other articles, tags, sharing."""
    children = [
        child if isinstance(child, str) else _without_link_lists(child)
        for child in measured.content
        if isinstance(child, str) or not _is_link_list(child)
    ]
    return Element(measured.element.tag, measured.element.attributes, children)


def _is_link_list(measured: Measured) -> bool:
    share, letters = measured.link_share, measured.letters
    if measured.element.tag == "p":
        return share > 0.75 and letters < 200
    return measured.element.tag in _BLOCKS and share > MOST_LINKS and (letters < 600 or share > 0.8)
