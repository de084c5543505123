"""`matrix extract`: the blocks and the text that would be indexed, without a database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from matrix.cli.console import explained, out, print_json
from matrix.cli.options import Json, settings_in
from matrix.wiring.parsing import extract_file


def extract(
    file: Annotated[Path, typer.Argument(help="The file to read.", exists=True, dir_okay=False)], json: Json = False
) -> None:
    """Show what would be indexed of a file."""
    with explained(json):
        parsed = asyncio.run(extract_file(settings_in(None), file))
    if json:
        blocks = [
            {
                "kind": block.kind.value,
                "level": block.level,
                "page": block.page,
                "text": parsed.text[block.start : block.end],
            }
            for block in parsed.blocks
        ]
        print_json(
            {
                "title": parsed.title,
                "language": parsed.language,
                "mediaType": parsed.media_type,
                "warnings": list(parsed.warnings),
                "blocks": blocks,
            }
        )
        return
    for warning in parsed.warnings:
        out.print(f"! {warning}", markup=False)
    for block in parsed.blocks:
        page = f" p.{block.page}" if block.page else ""
        out.print(f"[{block.kind.value.lower()}{page}]", style="dim", markup=False)
        out.print(parsed.text[block.start : block.end], markup=False)
