"""Where the files of `graph_schema/` are: beside the package in a clone, inside it in an installed wheel. What is in
them is read by `type_files` and `migrations`."""

from __future__ import annotations

from pathlib import Path

import matrix

_PACKAGE = Path(matrix.__file__).parent


def schema_folder() -> Path:
    """The folder that holds `entity_types/` and `migrations/`."""
    installed = _PACKAGE / "_graph_schema"
    return installed if installed.is_dir() else _PACKAGE.parent / "graph_schema"
