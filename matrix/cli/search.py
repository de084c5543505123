"""`matrix search`: the passages of a corpus that answer a question."""

from __future__ import annotations

from typing import Annotated

import typer

from matrix.cli.client import connected
from matrix.cli.console import explained, out, print_json
from matrix.cli.options import Json


def search(
    knowledge: Annotated[str, typer.Argument(help="The key of the corpus.")],
    question: Annotated[str, typer.Argument(help="What to look for.")],
    top_k: Annotated[int | None, typer.Option("--top-k", help="How many passages.")] = None,
    json: Json = False,
) -> None:
    """Search a corpus."""
    body: dict[str, object] = {"query": question}
    if top_k is not None:
        body["topK"] = top_k
    with explained(json), connected() as client:
        answer = client.post(f"/knowledge/{knowledge}/search", body)
    if json:
        print_json(answer)
        return
    for number, hit in enumerate(answer["hits"], start=1):
        source = hit["sourceRef"]
        page = f", page {source['page']}" if source["page"] else ""
        section = f", {' > '.join(source['sectionPath'])}" if source["sectionPath"] else ""
        out.print(f"{number}. {hit['documentName']}{page}{section}", style="bold", markup=False)
        out.print(f"   {' '.join(hit['text'].split())[:400]}\n", markup=False)
    if not answer["hits"]:
        out.print("Nothing was found.")
