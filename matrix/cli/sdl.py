"""`python -m matrix.cli.sdl FILE`: writes the GraphQL schema. For developers; it is no command of `matrix`."""

from __future__ import annotations

import sys
from pathlib import Path

from matrix.api.graphql.sdl import schema_text
from matrix.wiring.platform_types import platform_types

if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema_text(platform_types()), encoding="utf-8")
