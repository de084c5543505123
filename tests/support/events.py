"""Server-sent events, read from the text of an answer."""

from __future__ import annotations

import json
from typing import Any


def read_events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The name and the data of each event."""
    found: list[tuple[str, dict[str, Any]]] = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found
