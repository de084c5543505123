from __future__ import annotations

import pytest

from matrix.domain.documents import BlockKind
from matrix.errors import DocumentError
from matrix.plugins.parsers.html.document import parse_html
from matrix.plugins.parsers.html.nesting import too_deeply_nested
from matrix.plugins.parsers.html.prolog import declares_document_type
from tests.plugins.parsers.blocks import assert_whole, of_kind, words

PROSE = "The grey heron stands still for an hour, then strikes, faster than the eye can follow, and swallows its prey. "
ARTICLE = f"""<!DOCTYPE html><html lang="en-US"><head><title> Herons
 at work </title><link rel="canonical" href="https://birds.example/heron"><style>p {{ color: red }}</style></head><body>
<nav><a href="/">Home</a> <a href="/birds">All the birds of the marsh</a></nav>
<div class="sidebar"><p>Subscribe to our letter, it is free, and comes each week.</p></div>
<article><h1>Herons</h1><p>{PROSE * 3}</p><script>alert("never")</script>
<h2>Food &amp; prey</h2><p>{PROSE * 2}</p><ul><li>Fish<ol><li>Carp</li><li>Eel</li></ol></li><li>Frogs</li></ul>
<blockquote><p>{PROSE}</p></blockquote>
<pre class="highlight"><code class="language-python">def catch(fish):
    return fish
</code></pre>
<table><thead><tr><th>Month</th><th>Nests</th></tr></thead><tr><td>May | June</td><td>12</td></tr></table>
<p>{PROSE * 2}<br>A new line.</p></article>
<div class="related"><a href="/1">Why storks leave us in autumn</a></div>
<footer>Copyright, imprint, privacy</footer></body></html>"""


@pytest.mark.feature("B1")
def test_the_article_is_found_and_the_rest_left_out() -> None:
    text = parse_html(ARTICLE.encode()).text
    assert "heron stands still" in text
    for boilerplate in ("Home", "Subscribe", "storks", "Copyright", "never", "color"):
        assert boilerplate not in text


@pytest.mark.feature("B1")
def test_each_element_becomes_its_kind_of_block() -> None:
    document = parse_html(ARTICLE.encode())
    assert of_kind(document, BlockKind.HEADING) == ["Herons", "Food & prey"]
    assert [block.level for block in document.blocks if block.level] == [1, 2]
    assert of_kind(document, BlockKind.LIST_ITEM) == ["- Fish", "1. Carp", "2. Eel", "- Frogs"]
    assert of_kind(document, BlockKind.QUOTE) == [PROSE.strip()]
    assert of_kind(document, BlockKind.CODE) == ["```python\ndef catch(fish):\n    return fish\n```"]
    assert of_kind(document, BlockKind.TABLE) == ["| Month | Nests |\n| --- | --- |\n| May \\| June | 12 |"]
    assert of_kind(document, BlockKind.PARAGRAPH)[-1].endswith("prey.\nA new line.")
    assert_whole(document)


@pytest.mark.feature("B1")
def test_title_language_and_address_are_read() -> None:
    document = parse_html(ARTICLE.encode())
    assert (document.title, document.language) == ("Herons at work", "en")
    assert document.canonical_url == "https://birds.example/heron"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "/relative", "http://", "https://[broken", ""])
def test_an_address_that_is_none_is_not_taken(address: str) -> None:
    document = parse_html(f'<html><head><link rel=canonical href="{address}"></head><body>Words</body>'.encode())
    assert document.canonical_url is None


@pytest.mark.feature("B1")
def test_a_saved_document_is_read_whole() -> None:
    source = f"<body><div><h1>Terms</h1><p>{PROSE * 9}</p></div><div><h2>Annex</h2><p>Short.</p></div></body>"
    assert [text for kind, text in words(parse_html(source.encode())) if kind is not BlockKind.PARAGRAPH] == [
        "Terms",
        "Annex",
    ]


@pytest.mark.feature("B1")
@pytest.mark.parametrize(
    ("encoding", "declared"), [("cp1252", "iso-8859-1"), ("shift_jis", "Shift_JIS"), ("koi8-r", "koi8-r")]
)
def test_the_declared_encoding_is_used(encoding: str, declared: str) -> None:
    words_ = {"cp1252": "Käse – „gut“", "shift_jis": "日本語の文章", "koi8-r": "Русский текст"}[encoding]
    document = parse_html(f'<meta charset="{declared}"><p>{words_}</p>'.encode(encoding))
    assert words_ in document.text
    assert document.warnings == ()


@pytest.mark.feature("B1")
@pytest.mark.parametrize(
    "source",
    [
        "<div>" * 100_000,
        "<div>" * 257,
        "<b><i>" * 200 + "x",
        "<ul><li>" * 300,
        "<table><tr><td>" * 300,
        "<svg>" + "<g>" * 300,
    ],
)
def test_nesting_is_limited_before_a_tree_is_built(source: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        parse_html(source.encode())
    assert refusal.value.code == "too_deep"


@pytest.mark.parametrize(
    "source",
    [
        "<p>" * 5_000,
        "<li>" * 5_000,
        "<br>" * 5_000,
        "<a href=x>" * 5_000,
        "<div></div>" * 5_000,
        "<!--" + "<div>" * 5_000 + "-->",
        "<script>" + "'<div>'" * 5_000 + "</SCRIPT>",
        "<div>" * 200,
        "<",
        "<!--",
        "<script>",
    ],
)
def test_what_does_not_nest_is_not_counted(source: str) -> None:
    assert not too_deeply_nested(source, 256)


def test_a_file_over_the_limit_is_refused() -> None:
    with pytest.raises(DocumentError) as refusal:
        parse_html(b"<p>a" * (3 << 20))
    assert refusal.value.code == "too_long"


def test_a_table_that_lays_out_a_page_is_no_table() -> None:
    source = f"<table><tr><td><table><tr><td>Menu</td></tr></table></td><td><p>{PROSE * 8}</p></td></tr></table>"
    assert of_kind(parse_html(source.encode()), BlockKind.TABLE) == []


PLAIN_TYPES = [
    "<!DOCTYPE html>",
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">',
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- [ -->\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
    '<!doctype html SYSTEM "about:legacy-compat">',
    "<!DOCTYPE html><!-- <!DOCTYPE x [ -->",
]


@pytest.mark.feature("B1", "H2")
@pytest.mark.parametrize("declared", PLAIN_TYPES)
def test_an_ordinary_document_type_is_read(declared: str) -> None:
    assert parse_html(f"{declared}<html><body><p>{PROSE}a[0]</p></body></html>".encode()).text == f"{PROSE}a[0]"


@pytest.mark.feature("B1", "H2")
@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE html [ <!ENTITY a "ha"> ]>',
        '<?xml version="1.0"?><!DOCTYPE x SYSTEM "x.dtd" [\n<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        "<!-- note --><!DOCTYPE html>\n<!ENTITY a 'ha'>",
        '<!doctype html PUBLIC "]" "a" [',
    ],
)
def test_a_document_type_of_its_own_is_refused(declared: str) -> None:
    with pytest.raises(DocumentError) as failure:
        parse_html(f"{declared}<html><body><p>&a;</p></body></html>".encode())
    assert failure.value.code == "document_type"
    assert "DOCTYPE" in failure.value.advice


def test_a_prolog_made_to_hurt_is_passed_in_one_go() -> None:
    for markup in ("<!DOCTYPE x" + ' "' * 300_001, "<!-- " * 100_000, "<?" * 100_000, "<!--x-->" * 100_000):
        assert not declares_document_type(markup)


@pytest.mark.feature("B1")
@pytest.mark.parametrize(
    "hidden",
    [
        '<p style="display:none">Concealed words.</p>',
        "<div hidden><p>Concealed words.</p></div>",
        '<p style="color: red; VISIBILITY : hidden">Concealed words.</p>',
        '<p>Seen <span style="font-size:0">Concealed words.</span></p>',
        '<p style="opacity: 0.0;">Concealed words.</p>',
    ],
)
@pytest.mark.parametrize("page", ["<body>{hidden}<p>{prose}</p></body>", ARTICLE.replace("<h1>", "{{hidden}}<h1>", 1)])
def test_what_no_reader_sees_is_not_read(hidden: str, page: str) -> None:
    markup = page.replace("{{hidden}}", hidden).replace("{hidden}", hidden).replace("{prose}", PROSE * 3)
    text = parse_html(markup.encode()).text
    assert "heron" in text
    assert "Concealed" not in text


def test_a_page_that_hides_all_until_its_script_runs_is_read_as_it_is() -> None:
    assert "heron" in parse_html(f'<body><div style="opacity:0"><p>{PROSE * 3}</p></div></body>'.encode()).text
    assert "heron" in parse_html(f'<body><p hidden="until-found">{PROSE * 3}</p></body>'.encode()).text
    assert "heron" in parse_html(f'<body><p style="opacity: 0.5">{PROSE * 3}</p></body>'.encode()).text
