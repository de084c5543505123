from __future__ import annotations

import pytest

from matrix.plugins.parsers.language import LanguageDetector, language_code


@pytest.fixture(scope="module")
def detector() -> LanguageDetector:
    return LanguageDetector()


@pytest.mark.feature("B16")
@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The quick brown fox jumps over the lazy dog and runs into the forest.", "en"),
        ("Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald.", "de"),
        ("Le renard brun saute par-dessus le chien paresseux et court vers la forêt.", "fr"),
        ("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。", "ja"),
        ("Invoice 2024", None),
        ("12 34 56 78 90 12 34 56 78 90", None),
        ("", None),
    ],
)
def test_a_language_is_found_or_admitted_unknown(detector: LanguageDetector, text: str, language: str | None) -> None:
    assert detector.detect(text) == language


@pytest.mark.parametrize(
    ("tag", "code"), [("en", "en"), ("de-AT", "de"), ("pt_BR", "pt"), (" EN ", "en"), ("english", None), ("", None)]
)
def test_tags_become_codes(tag: str, code: str | None) -> None:
    assert language_code(tag) == code
