"""`matrix ask`: an agent's answer with its citations."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from matrix.cli.client import connected
from matrix.cli.console import explained, out, print_json
from matrix.cli.options import Json


def ask(
    agent: Annotated[str, typer.Argument(help="The key of the agent.")],
    question: Annotated[str, typer.Argument(help="What to ask.")],
    session: Annotated[str | None, typer.Option(help="Go on in this session.")] = None,
    json: Json = False,
) -> None:
    """Ask an agent."""
    with explained(json), connected() as client:
        answer = client.post(f"/agents/{agent}/chat", {"message": question, "sessionId": session})
    if json:
        print_json(answer)
    else:
        out.print(answer_text(answer), markup=False)


def answer_text(answer: dict[str, Any]) -> str:
    """An answer with what it cites, for a terminal."""
    lines = [answer["answer"]]
    if waiting := answer.get("documentsBeingRead"):
        what = "A document is" if waiting == 1 else f"{waiting} documents are"
        lines.append(f"{what} still being read; ask again when that is done.")
    for citation in answer["citations"]:
        page = f", page {citation['page']}" if citation["page"] else ""
        quote = " ".join(citation["quote"].split())
        lines.append(f"  [{citation['marker']}] {citation['documentName']}{page}: «{quote}»")
    return "\n".join(lines)
