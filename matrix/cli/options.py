"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from matrix.settings import Settings, read_settings

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Where the data lives; .matrix by default.")]
Lifeline = Annotated[bool, typer.Option("--lifeline", hidden=True)]
"""Set by `up` for its children; see `lifeline`."""


def settings_in(data_dir: Path | None, **overrides: object) -> Settings:
    """The settings of this process, with an absolute data folder. Errors: InvalidSettings."""
    given = {name: value for name, value in overrides.items() if value is not None}
    if data_dir is not None:
        given["data_dir"] = data_dir
    settings = read_settings(**given)
    return settings.model_copy(update={"data_dir": settings.data_dir.expanduser().resolve()})
