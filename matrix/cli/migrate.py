"""`matrix migrate`: brings the database's schema up to this version of Matrix."""

from __future__ import annotations

import asyncio

from matrix.cli.console import explained, out, print_json
from matrix.cli.options import DataDir, Json
from matrix.cli.process_settings import process_settings


def migrate(data_dir: DataDir = None, json: Json = False) -> None:
    """Apply what is missing of the schema; `matrix up` does it by itself."""
    with explained(json):
        from matrix.wiring.databases import migrate_database  # noqa: PLC0415  # see `main`

        applied = asyncio.run(migrate_database(process_settings(data_dir)))
    if json:
        print_json({"applied": list(applied)})
    else:
        out.print("\n".join(f"Applied {name}" for name in applied) or "The schema is up to date.")
