from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.domain.access import Role, Scope
from matrix.domain.retrieval import SearchFilters
from matrix.graph.search.keyword_query import MAX_WORDS, keyword_query, words_of

SCOPE = Scope("org1", "user1", Role.VIEWER, ("aud1",), ("org1", "team1", "user1"))


def test_words_without_meaning_are_dropped_where_others_remain() -> None:
    assert words_of("What is the melting point of tungsten?").words == ("melting", "point", "tungsten")
    assert words_of("Wie hoch war der Umsatz?").words == ("hoch", "umsatz")


def test_words_without_meaning_stay_where_there_are_no_others() -> None:
    assert words_of("to be or not to be").words == ("to", "be", "or", "not")


def test_a_word_that_is_common_in_another_language_stays() -> None:
    assert words_of("war crimes").words == ("war", "crimes")


@pytest.mark.parametrize("code", ["err-4711", "a_b.c", "v2.1", "1,234.50", "foo::bar", "o'neill"])
def test_a_code_is_looked_for_as_it_stands(code: str) -> None:
    found = words_of(f"What does {code.upper()} mean?")
    assert code in found.exact or found.words == (code, "mean")


def test_a_quoted_phrase_is_looked_for_as_it_stands() -> None:
    assert words_of('who said "to be or not" here').exact == ("to be or not",)


def test_a_long_question_keeps_its_longest_words() -> None:
    long = " ".join(f"{'x' * (number % 7 + 2)}{number}" for number in range(400))
    assert len(words_of(long).words) == MAX_WORDS


def test_marks_belong_to_their_words() -> None:
    assert words_of("हिन्दी में पढ़ना").words == ("हिन्दी", "में", "पढ़ना")


def test_every_scope_clause_is_required_and_does_not_score() -> None:
    filters = SearchFilters(source_kinds=("FILE",), languages=("de",), tags=("Ü ber",))
    query = keyword_query(SCOPE, ["k1", "k2"], "moon", filters)
    assert query is not None
    assert query.startswith(
        "+scopeTokens:(o_org1)^0 +scopeTokens:(k_k1 k_k2)^0 +scopeTokens:(p_org1 p_team1 p_user1)^0 "
        "+scopeTokens:(s_file)^0 +scopeTokens:(l_de)^0 +scopeTokens:(t_x"
    )
    assert query.count("^0 ") == 6


@pytest.mark.parametrize("query", ["", "  ", "???", '"', "\\", "+-&|!(){}[]^~*:/"])
def test_a_question_without_a_word_is_no_query(query: str) -> None:
    assert keyword_query(SCOPE, ["k1"], query, SearchFilters()) is None


@given(st.text(max_size=60))
def test_nothing_that_is_typed_becomes_syntax(typed: str) -> None:
    found = words_of(typed)
    assert all(char == "_" or char.isalnum() or not char.isascii() for word in found.words for char in word)
    assert all('"' not in piece and "\\" not in piece for piece in found.exact)
