"""`search_knowledge(knowledge_key, query, top_k)`: composed into every agent that has a corpus attached."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.agents.tool import ToolOutcome, TurnContext
from matrix.domain.chat import AgentCard, KnowledgeCard, ToolSpec
from matrix.domain.retrieval import SearchMode, SearchRequest
from matrix.errors import InvalidInput
from matrix.retrieval.search import KnowledgeSearch

NAME = "search_knowledge"
MOST = 20  # hits that a model may ask for at once


class SearchKnowledge:
    """Searches one of the agent's corpora, with the agent's top_k and threshold where it has its own."""

    name = NAME
    changes = False

    def __init__(self, search: KnowledgeSearch) -> None:
        self._search = search

    def spec(self, agent: AgentCard, /) -> ToolSpec | None:
        if not agent.knowledge:
            return None
        listed = "\n".join(f"- {card.key}: {_about(card)}" for card in agent.knowledge)
        return ToolSpec(
            name=NAME,
            description=f"Searches one body of knowledge and returns its passages, best first. Available:\n{listed}",
            parameters={
                "type": "object",
                "properties": {
                    "knowledge_key": {"type": "string", "enum": [card.key for card in agent.knowledge]},
                    "query": {"type": "string", "description": "What to look for, in full words."},
                    "top_k": {"type": "integer", "minimum": 1, "maximum": MOST},
                },
                "required": ["knowledge_key", "query"],
            },
        )

    async def run(self, context: TurnContext, arguments: Mapping[str, object]) -> ToolOutcome:
        card = _chosen(context.agent, arguments.get("knowledge_key"))
        query = arguments.get("query")
        if not isinstance(query, str) or not query.strip():
            raise InvalidInput("search_knowledge needs a query.", field="query")
        result = await self._search.search(context.scope, _request(context.agent, card, query, arguments.get("top_k")))
        return ToolOutcome(summary=_summary(len(result.hits), card), hits=result.hits)


def _about(card: KnowledgeCard) -> str:
    return f"{card.name}. {card.description}".strip() if card.description else card.name


def _chosen(agent: AgentCard, key: object) -> KnowledgeCard:
    for card in agent.knowledge:
        if card.key == key:
            return card
    keys = ", ".join(card.key for card in agent.knowledge)
    raise InvalidInput(f"There is no knowledge «{key}» here; available: {keys}.", field="knowledge_key")


def _request(agent: AgentCard, card: KnowledgeCard, query: str, top_k: object) -> SearchRequest:
    wanted = top_k if isinstance(top_k, int) and not isinstance(top_k, bool) else agent.top_k or card.top_k
    return SearchRequest(
        knowledge_ids=(card.id,),
        query=query,
        top_k=max(1, min(wanted, MOST)),
        mode=SearchMode(card.mode),
        min_score=agent.min_score if agent.min_score is not None else card.min_score,
    )


def _summary(found: int, card: KnowledgeCard) -> str:
    return f"{found} passage{'' if found == 1 else 's'} in {card.name}"
