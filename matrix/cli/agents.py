"""`matrix agents`: agents, listed, made, deleted, and given corpora."""

from __future__ import annotations

from typing import Annotated

import typer

from matrix.cli.client import connected
from matrix.cli.console import explained, out, print_json
from matrix.cli.options import Json

agents_app = typer.Typer(help="List, make and delete agents, and attach corpora to them.", no_args_is_help=True)
AgentKey = Annotated[str, typer.Argument(help="The key of the agent.")]
KnowledgeKey = Annotated[str, typer.Argument(help="The key of the corpus.")]


@agents_app.command("list")
def list_agents(json: Json = False) -> None:
    """List the agents."""
    with explained(json), connected() as client:
        found = list(client.get_all("/agents"))
    if json:
        print_json({"items": found})
        return
    for entity in found:
        out.print(f"{entity['key']}: {entity['properties']['name']}", markup=False)


@agents_app.command("create")
def create_agent(
    key: AgentKey,
    name: Annotated[str | None, typer.Option(help="What people call it; the key by default.")] = None,
    instructions: Annotated[str | None, typer.Option(help="Who the agent is and how it speaks.")] = None,
    knowledge: Annotated[list[str] | None, typer.Option("--knowledge", "-k", help="A corpus to attach.")] = None,
    json: Json = False,
) -> None:
    """Make an agent."""
    properties: dict[str, object] = {"key": key, "name": name or key, "knowledge": knowledge or []}
    if instructions:
        properties["instructions"] = instructions
    with explained(json), connected() as client:
        entity = client.post("/agents", {"properties": properties})
    if json:
        print_json(entity)
    else:
        out.print(f"Made {entity['key']} ({entity['id']}).", markup=False)


@agents_app.command("attach")
def attach(agent: AgentKey, knowledge: KnowledgeKey, json: Json = False) -> None:
    """Attach a corpus; the agent can search it at once."""
    with explained(json), connected() as client:
        client.put(f"/agents/{agent}/knowledge/{knowledge}")
    _said(json, f"{agent} searches {knowledge} now.", {"attached": knowledge})


@agents_app.command("detach")
def detach(agent: AgentKey, knowledge: KnowledgeKey, json: Json = False) -> None:
    """Take a corpus off."""
    with explained(json), connected() as client:
        client.delete(f"/agents/{agent}/knowledge/{knowledge}")
    _said(json, f"{agent} searches {knowledge} no more.", {"detached": knowledge})


@agents_app.command("delete")
def delete_agent(agent: AgentKey, json: Json = False) -> None:
    """Delete an agent; its corpora stay."""
    with explained(json), connected() as client:
        client.delete(f"/agents/{agent}")
    _said(json, f"Deleted {agent}.", {"deleted": agent})


def _said(json: bool, sentence: str, value: dict[str, object]) -> None:
    if json:
        print_json(value)
    else:
        out.print(sentence, markup=False)
