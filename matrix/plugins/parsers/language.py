"""The language of a text, found from the text; and language tags (`de-AT`) to ISO 639-1 codes."""

from __future__ import annotations

import re
import threading
import unicodedata
from typing import Any

_SAMPLE_PIECE = 2_000
_FEWEST_LETTERS = 24
_LEAST_CONFIDENCE = 0.6
_TAG = re.compile(r"([a-z]{2})(?:[-_][a-z0-9]+)*\Z", re.IGNORECASE)


def language_code(tag: str) -> str | None:
    """`en` of `en`, `en-GB` or `en_US`; None for what is no ISO 639-1 tag."""
    match = _TAG.match(tag.strip())
    return match.group(1).lower() if match else None


class LanguageDetector:
    """Finds languages with py3langid. Its model is loaded at the first call, which takes a second of CPU, and kept."""

    def __init__(self) -> None:
        self._identifier: Any = None
        self._loading = threading.Lock()

    def detect(self, text: str) -> str | None:
        """An ISO 639-1 code; None where the text is too short or the language is not sure."""
        sample = _sample(text)
        if sum(unicodedata.category(letter)[0] == "L" for letter in sample) < _FEWEST_LETTERS:
            return None
        code, confidence = self._loaded().classify(sample)
        return code if confidence >= _LEAST_CONFIDENCE and len(code) == 2 else None

    def _loaded(self) -> Any:
        with self._loading:
            if self._identifier is None:
                from py3langid.langid import LanguageIdentifier  # noqa: PLC0415  # brings numpy: only when it is needed

                self._identifier = LanguageIdentifier.from_model_file("data/model.npz.xz", norm_probs=True)
            return self._identifier


def _sample(text: str) -> str:
    """Beginning, middle and a later piece: a foreign preface or an appendix does not decide."""
    if len(text) <= 3 * _SAMPLE_PIECE:
        return text
    starts = (0, len(text) // 2, len(text) * 3 // 4)
    return "\n".join(text[start : start + _SAMPLE_PIECE] for start in starts)
