"""Tool calls put together from the pieces in which a chat-completions stream sends them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from matrix.domain.chat import ToolCall
from matrix.domain.ids import new_id
from matrix.plugins.vendors.failures import broken_reply
from matrix.plugins.vendors.openai import PROVIDER

if TYPE_CHECKING:
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall


@dataclass(slots=True)
class _Draft:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ToolCallAssembly:
    """Collects pieces by their index. Calls come out only at the end, and only whole."""

    def __init__(self) -> None:
        self._drafts: dict[int, _Draft] = {}

    def add(self, pieces: Iterable[ChoiceDeltaToolCall]) -> None:
        for piece in pieces:
            draft = self._drafts.setdefault(self._place(piece), _Draft())
            draft.id = draft.id or piece.id or ""
            if piece.function is not None:
                draft.name = draft.name or piece.function.name or ""
                draft.arguments.append(piece.function.arguments or "")

    def calls(self) -> list[ToolCall]:
        """All calls, in order. Errors: ProviderError with code `broken_reply` where one is not whole."""
        return [_finished(self._drafts[place]) for place in sorted(self._drafts)]

    def _place(self, piece: ChoiceDeltaToolCall) -> int:
        # some servers send every whole call with index 0, or none: a new id is a new call
        place = piece.index or 0
        known = self._drafts.get(place)
        return len(self._drafts) if known and piece.id and known.id and piece.id != known.id else place


def _finished(draft: _Draft) -> ToolCall:
    written = "".join(draft.arguments)
    try:
        arguments = json.loads(written) if written.strip() else {}
    except json.JSONDecodeError:
        raise broken_reply(PROVIDER, f"the arguments of its call of «{draft.name}» are not JSON") from None
    if not draft.name or not isinstance(arguments, dict):
        raise broken_reply(PROVIDER, "a tool call without a name or without arguments")
    return ToolCall(draft.id or new_id(), draft.name, arguments)
