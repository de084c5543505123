"""Files of a multipart request as they arrive: counted while they stream, none ever held in memory as a whole."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from fastapi import Request
from python_multipart.exceptions import FormParserError, MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from matrix.errors import InvalidInput, TooLarge

LONGEST_HEADER = 8192


@dataclass(frozen=True, slots=True)
class FilePart:
    """One file. Its content must be read, or let go, before the next part comes."""

    name: str
    content: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class _Begin:
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Data:
    content: bytes


@dataclass(frozen=True, slots=True)
class _End:
    pass


_Event = _Begin | _Data | _End


async def file_parts(request: Request, most_bytes: int) -> AsyncIterator[FilePart]:
    """The parts named `file` that have a file name. Errors: InvalidInput (not multipart, damaged), TooLarge."""
    events = _events(request, _boundary(request), most_bytes)
    async for event in events:
        if not isinstance(event, _Begin):
            continue
        name = _file_name(event.headers)
        content = _content(events)
        if name is not None:
            yield FilePart(name, content)
        async for _ in content:  # what the consumer left unread
            pass


async def _content(events: AsyncIterator[_Event]) -> AsyncIterator[bytes]:
    async for event in events:
        if isinstance(event, _End):
            return
        if isinstance(event, _Data):
            yield event.content


async def _events(request: Request, boundary: bytes, most_bytes: int) -> AsyncIterator[_Event]:
    found: deque[_Event] = deque()
    ended: list[bool] = []
    received = 0
    try:
        parser = _parser(boundary, found, ended)
        async for block in request.stream():
            received += len(block)
            if received > most_bytes:
                raise TooLarge(f"A request may hold {most_bytes // 2**20 or 1} MiB at most.")
            parser.write(block)
            while found:
                yield found.popleft()
    except FormParserError:
        raise _damaged() from None
    if not ended:
        raise _damaged()


def _damaged() -> InvalidInput:
    return InvalidInput("The multipart body is damaged or was cut off.", advice="Send the files again.")


def _parser(boundary: bytes, found: deque[_Event], ended: list[bool]) -> MultipartParser:
    headers: dict[str, str] = {}
    field, value = bytearray(), bytearray()

    def header_end() -> None:
        headers[field.decode("latin-1").lower()] = value.decode("latin-1")
        field.clear()
        value.clear()

    def collect(buffer: bytearray) -> Callable[[bytes, int, int], None]:
        def more(data: bytes, start: int, end: int) -> None:
            if len(buffer) + end - start > LONGEST_HEADER:
                raise MultipartParseError("A header of a part is too long.")
            buffer.extend(data[start:end])

        return more

    def begin() -> None:
        found.append(_Begin(dict(headers)))
        headers.clear()

    return MultipartParser(
        boundary,
        callbacks={
            "on_header_field": collect(field),
            "on_header_value": collect(value),
            "on_header_end": header_end,
            "on_headers_finished": begin,
            "on_part_data": lambda data, start, end: found.append(_Data(data[start:end])),
            "on_part_end": lambda: found.append(_End()),
            "on_end": lambda: ended.append(True),
        },
    )


def _boundary(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise InvalidInput(
            "Files are sent as multipart/form-data.", advice="With curl: -F file=@handbook.pdf", code="not_multipart"
        )
    return boundary


def _file_name(headers: dict[str, str]) -> str | None:
    _, options = parse_options_header(headers.get("content-disposition", ""))
    if options.get(b"name") != b"file":
        return None
    plain = options.get(b"filename")
    return plain.decode("utf-8", "replace") if plain is not None else None
