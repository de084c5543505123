"""Reading a file without a database, for `matrix extract`."""

from __future__ import annotations

from pathlib import Path

from matrix.domain.documents import ParsedDocument
from matrix.errors import InvalidInput
from matrix.ingest.media_type import HEAD_BYTES, detect
from matrix.settings import Settings
from matrix.wiring.choices import make_parser


async def extract_file(settings: Settings, path: Path) -> ParsedDocument:
    """The file as it would be indexed. Errors: DocumentError, UnsupportedType, InvalidInput."""
    try:
        with path.open("rb") as file:  # a command that does nothing else meanwhile
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", field="file") from None
    media_type = detect(head, path.name)
    return await make_parser(settings).parse(path, name=path.name, media_type=media_type.name)
