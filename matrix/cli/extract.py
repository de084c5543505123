"""`matrix extract`: the blocks and the text that would be indexed, without a database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from matrix.cli.console import explained, out, print_json
from matrix.cli.options import Json, settings_in
from matrix.domain.documents import ParsedDocument
from matrix.domain.parsed_listing import list_document


def extract(
    file: Annotated[Path, typer.Argument(help="The file to read.", exists=True, dir_okay=False)], json: Json = False
) -> None:
    """Show what would be indexed of a file."""
    with explained(json):
        from matrix.wiring.parsing import extract_file  # noqa: PLC0415  # see `main`

        parsed = asyncio.run(extract_file(settings_in(None), file))
    if json:
        print_json(_parsed_json(parsed))
        return
    for line in list_document(parsed):
        out.print(line, markup=False)


def _parsed_json(parsed: ParsedDocument) -> dict[str, object]:
    blocks = [
        {
            "kind": block.kind.value,
            "level": block.level,
            "page": block.page,
            "start": block.start,
            "end": block.end,
            "text": parsed.text[block.start : block.end],
        }
        for block in parsed.blocks
    ]
    return {
        "title": parsed.title,
        "language": parsed.language,
        "mediaType": parsed.media_type,
        "warnings": list(parsed.warnings),
        "blocks": blocks,
    }
