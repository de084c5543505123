"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from matrix.settings import Settings, read_settings

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Where the data lives; .matrix by default.")]


def settings_in(data_dir: Path | None, **overrides: object) -> Settings:
    """The settings of this process. Errors: InvalidSettings."""
    given = {name: value for name, value in overrides.items() if value is not None}
    if data_dir is not None:
        given["data_dir"] = data_dir
    return read_settings(**given)
