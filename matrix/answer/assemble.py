"""A streaming reply and the evidence of its turn to checked sentences, and in the end an answer or the no-answer
sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from matrix.answer.citations import cite, without_links
from matrix.answer.reply import Reply, Step, finish, take
from matrix.answer.support import is_supported
from matrix.domain.chat import Answerable, ChatEvent, Citation, Evidence, Sentence, TextDelta


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer may rest on: evidence by marker, and what other tools returned (memories, receipts)."""

    evidence: Mapping[int, Evidence] = field(default_factory=dict)
    other: tuple[str, ...] = ()

    def texts(self) -> list[str]:
        return [f"{item.hit.context}\n{item.hit.text}" for item in self.evidence.values()] + list(self.other)


@dataclass(frozen=True, slots=True)
class Draft:
    """The end of a reply: its checked sentences in order."""

    answerable: bool
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        return "".join(sentence.text for sentence in self.sentences).strip()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """By marker; one for each passage's words that a sentence rests on."""
        unique = {(c.marker, c.start, c.end): c for sentence in self.sentences for c in sentence.citations}
        return tuple(unique[place] for place in sorted(unique))


async def assemble(deltas: AsyncIterator[str], grounds: Grounds) -> AsyncIterator[ChatEvent | Draft]:
    """Answerable first (unless no words come at all), then tokens, each sentence confirmed or withdrawn (as an empty
    one); last a Draft."""
    reply, kept, announced = Reply(), list[Sentence](), False
    async for delta in deltas:
        step = take(reply, delta)
        reply = step.reply
        if reply.verdict is not None and not announced:
            announced = True
            yield Answerable(reply.verdict)
        for event in _events(step, grounds):
            yield event
            if isinstance(event, Sentence) and event.text:
                kept.append(event)
    last = finish(reply)
    if not announced and reply.pending.strip():  # a reply of calls alone says nothing yet
        yield Answerable(bool(last.reply.verdict))
    for event in _events(last, grounds):
        yield event
        if isinstance(event, Sentence) and event.text:
            kept.append(event)
    yield _draft(last.reply, kept, grounds)


def _events(step: Step, grounds: Grounds) -> list[TextDelta | Sentence]:
    events: list[TextDelta | Sentence] = [TextDelta(step.shown)] if step.shown else []
    return events + [check(sentence, grounds) for sentence in step.sentences]


def check(sentence: str, grounds: Grounds) -> Sentence:
    """The sentence as it may stand: valid citations only; empty when it rests on nothing that was read."""
    cited = cite(without_links(sentence, grounds.evidence), grounds.evidence)
    if cited.citations:
        return Sentence(cited.text, cited.citations)
    if cited.claimed or not is_supported(cited.text, grounds.texts()):
        return Sentence("", ())
    return Sentence(cited.text, ())


def _draft(reply: Reply, kept: list[Sentence], grounds: Grounds) -> Draft:
    """An answer needs a citation, unless it rests on another tool's result."""
    grounded = any(sentence.citations or is_supported(sentence.text, grounds.other) for sentence in kept)
    if not (reply.verdict and grounded):
        return Draft(False, ())
    return Draft(True, tuple(kept))
