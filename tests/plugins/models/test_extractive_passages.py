"""What a passage offers to say: sentences, table rows with their columns, whole lists, code, key lines."""

from __future__ import annotations

from matrix.plugins.models.extractive.passages import Candidate, read_candidates
from tests.plugins.models.extractive_requests import passage


def read(text: str, *, titles: tuple[str, ...] = (), context: str = "") -> list[Candidate]:
    return read_candidates([passage(1, text, titles=titles, context=context)])


def texts(text: str, *, context: str = "") -> list[str]:
    return [candidate.text for candidate in read(text, context=context)]


def test_wrapped_prose_becomes_sentences() -> None:
    assert texts("The tank holds\n1.8 litres. Dr. Ames, the\nowner, fills it.") == [
        "The tank holds 1.8 litres.",
        "Dr. Ames, the owner, fills it.",
    ]


def test_a_row_is_said_with_its_columns() -> None:
    rows = texts("| Plan | Price |\n|---|---|\n| Team | 19 |\n| Pro | 79 |")
    assert rows == ["Plan: Team; Price: 19", "Plan: Pro; Price: 79"]


def test_a_table_cut_in_two_takes_its_header_from_the_context() -> None:
    assert texts("| Pro | 79 |", context="Plans\n| Plan | Price |\n|---|---|") == ["Plan: Pro; Price: 79"]


def test_a_list_is_offered_whole_with_the_sentence_that_opens_it() -> None:
    said = texts("You receive:\n\n- a badge\n- a laptop")
    assert said == ["a badge", "a laptop", "You receive: - a badge - a laptop"]


def test_a_list_under_a_heading_is_offered_whole() -> None:
    whole = [candidate for candidate in read("## First use\n\n1. Fill the tank.\n2. Press start.") if candidate.group]
    assert [(candidate.text, candidate.title) for candidate in whole] == [
        ("1. Fill the tank. 2. Press start.", "First use")
    ]


def test_code_keeps_its_lines_and_takes_its_opening_sentence() -> None:
    assert texts("Install it:\n\n```\npip install x\nx login\n```") == ["Install it: pip install x\nx login"]


def test_key_lines_stand_for_themselves() -> None:
    assert texts("Weight: 8.9 kg\nPower: 1450 W") == ["Weight: 8.9 kg", "Power: 1450 W"]


def test_headings_are_kept_beside_what_stands_below_them() -> None:
    candidates = read("## Warranty\n\nIt lasts two years.", titles=("Manual",))
    assert [(candidate.text, candidate.heading) for candidate in candidates] == [
        ("It lasts two years.", "Manual / Warranty")
    ]


def test_what_two_passages_share_is_read_once() -> None:
    both = read_candidates([passage(1, "One thing. Two things."), passage(2, "Two things. Three things.")])
    assert [(candidate.text, candidate.marker) for candidate in both] == [
        ("One thing.", 1),
        ("Two things.", 1),
        ("Three things.", 2),
    ]


def test_emphasis_is_not_said() -> None:
    assert texts("- **Baltic Loop**: four days\n- **Alpine Road**: three days")[0] == "Baltic Loop: four days"
