"""The YAML block that may stand before a Markdown text: title and language are taken from it, the rest is left."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matrix.plugins.parsers.language import language_code

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_MAX_SIZE = 1 << 16


@dataclass(frozen=True, slots=True)
class FrontMatter:
    title: str | None = None
    language: str | None = None
    warnings: tuple[str, ...] = ()


def split_front_matter(text: str) -> tuple[FrontMatter, int]:
    """What the front matter says, and the offset at which the text proper begins (0 where there is none)."""
    match = _FRONT_MATTER.match(text[:_MAX_SIZE])
    if match is None:
        return FrontMatter(), 0
    import yaml  # noqa: PLC0415  # 40 ms that most files do not need

    try:
        fields = yaml.safe_load(match.group(1))
    except (yaml.YAMLError, ValueError, RecursionError):
        return FrontMatter(warnings=("The front matter is not valid YAML; its fields were not read.",)), match.end()
    if not isinstance(fields, dict):  # two rules around ordinary text
        return FrontMatter(), 0
    title, language = fields.get("title"), fields.get("lang", fields.get("language"))
    return FrontMatter(
        title=title.strip() or None if isinstance(title, str) else None,
        language=language_code(language) if isinstance(language, str) else None,
    ), match.end()
