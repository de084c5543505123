from dataclasses import replace

import pytest

from matrix.answer.citations import cite, without_links
from matrix.domain.documents import PageStart, SectionStart
from tests.hits import evidence


@pytest.mark.feature("F2")
def test_a_citation_of_what_was_not_retrieved_is_dropped() -> None:
    cited = cite("You have 30 days [1][7].", evidence("Returns: you have 30 days. Keep the box."))
    assert [c.marker for c in cited.citations] == [1]
    assert "[7]" not in cited.text
    assert cited.claimed


def test_a_marker_resolves_to_the_words_and_their_place() -> None:
    text = "Our shop is in Aarhus. Unused boxes can be returned within 45 days. Bring the receipt."
    cited = cite("Boxes can be returned within 45 days. [1]", evidence(text))
    [citation] = cited.citations
    assert citation.quote == "Unused boxes can be returned within 45 days."
    assert text[citation.start : citation.end] == citation.quote
    assert citation.page == 3
    assert citation.document_name == "handbook.pdf"


def test_several_markers_in_one_bracket() -> None:
    cited = cite("Both say so [1, 2].", evidence("Both say so.", "So say both."))
    assert [c.marker for c in cited.citations] == [1, 2]


def test_links_and_pictures_of_a_model_become_words() -> None:
    text = "See ![x](https://evil.example/a.png?q=secret) [here](javascript:alert(1)) https://evil.example/b [1]."
    clean = without_links(text, evidence("nothing of that kind"))
    assert "evil" not in clean
    assert "javascript" not in clean
    assert "here" in clean


def test_an_address_that_a_source_contains_may_stand() -> None:
    sources = evidence("Write to https://shop.example/returns for a label.")
    assert "https://shop.example/returns" in without_links("Use https://shop.example/returns [1]", sources)


def test_a_row_of_a_table_is_quoted_by_its_values_and_not_by_its_header() -> None:
    table = "| Article | Text | Price |\n| --- | --- | --- |\n| BR-3310 | Solace lamp | 49 |\n| BR-3311 | Lamp | 59 |"
    [citation] = cite("Article: BR-3310; Text: Solace lamp; Price: 49 [1]", evidence(table)).citations
    assert citation.quote == "| BR-3310 | Solace lamp | 49 |"


@pytest.mark.feature("F2")
def test_a_citation_names_the_page_of_its_words_and_not_of_its_passage() -> None:
    text = "The first page ends here. The pump runs at 40 bar."
    found = evidence(text)
    begun = (PageStart(3, 0), PageStart(4, 26))
    source = replace(found[1].hit.source, page_starts=begun, url="https://a.example/m.pdf#page=3")
    spanning = {1: replace(found[1], hit=replace(found[1].hit, source=source))}
    [late] = cite("The pump runs at 40 bar. [1]", spanning).citations
    [early] = cite("The first page ends here. [1]", spanning).citations
    assert (late.page, late.url) == (4, "https://a.example/m.pdf#page=4")
    assert (early.page, early.url) == (3, "https://a.example/m.pdf#page=3")


@pytest.mark.feature("F2", "B16")
def test_a_citation_names_the_section_of_its_words_and_not_of_its_passage() -> None:
    text = "Care\n\nThe brush is soft.\n\nCalibration\n\nCertificates are signed by Ingrid."
    found = evidence(text)
    begun = (SectionStart(("Manual", "Care"), 0), SectionStart(("Manual", "Calibration"), text.index("Calibration")))
    source = replace(found[1].hit.source, section_path=("Manual",), section_starts=begun)
    spanning = {1: replace(found[1], hit=replace(found[1].hit, source=source))}
    [late] = cite("Certificates are signed by Ingrid. [1]", spanning).citations
    [early] = cite("The brush is soft. [1]", spanning).citations
    assert (early.section_path, late.section_path) == (("Manual", "Care"), ("Manual", "Calibration"))


@pytest.mark.parametrize(
    "words",
    [
        '<img src="https://evil.example/p">',
        "<IMG/SRC=//evil.example/p>",
        '<a href="//evil.example">',
        "<iframe src=//evil.example",
        '<svg\nonload="x(evil)">',
    ],
)
def test_tags_that_load_or_link_are_gone_even_if_a_source_has_them(words: str) -> None:
    assert "evil" not in without_links(f"It says {words} [1]", evidence(f"Look: {words}"))
    assert without_links("The <img> tag is empty.", {}) == "The <img> tag is empty."
