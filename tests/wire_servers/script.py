"""What a wire server is told to answer, whichever format it speaks.

server.script(Fault(429, retry_after=0), Reply(tool_calls=(Call("search_knowledge", {"query": "tax"}),)))
server.script(Reply("Tax is due in April [1]."))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """A function call. `written` replaces the JSON of the arguments, to break it; `signature` is Gemini's."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    id: str = ""
    written: str | None = None
    signature: bytes = b""


@dataclass(frozen=True)
class Reply:
    """A streamed answer: thoughts, then the text word by word, then calls, then the usage.

    `pause` seconds lie before each piece; the stream is cut after `cut_after` pieces (None: it ends properly);
    `finish` replaces the reason for ending.
    """

    text: str = ""
    tool_calls: tuple[Call, ...] = ()
    thought: str = ""
    usage: tuple[int, int] = (7, 3)
    pause: float = 0.0
    cut_after: int | None = None
    finish: str | None = None

    @property
    def words(self) -> list[str]:
        return [word for word in self.text.replace(" ", " \x00").split("\x00") if word]


@dataclass(frozen=True)
class Fault:
    """An HTTP error; `body` replaces the format's own error, and with status 200 the whole answer."""

    status: int
    message: str = "scripted fault"
    retry_after: float | str | None = None
    body: str | None = None
    param: str | None = None
    code: str | None = None
    delay: float = 0.0

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}


@dataclass(frozen=True)
class Vectors:
    """An answer with vectors that are wrong in number or in length."""

    count: int | None = None
    dimensions: int | None = None


@dataclass(frozen=True)
class Recorded:
    """A request as it came. `kind` is "chat", "embed" or "models"."""

    kind: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


Step = Reply | Fault | Vectors
