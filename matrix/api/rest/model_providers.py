"""`POST …/model-providers/{idOrKey}/test`: tries a provider's key with one short question."""

from __future__ import annotations

from fastapi import APIRouter

from matrix.api.auth.principal import OrgScope
from matrix.api.entities import Entities
from matrix.api.rest.shapes.answers import MEMBER, answers
from matrix.api.rest.shapes.operations import ProviderTrial
from matrix.domain.chat import ChatMessage, ModelRequest, Speaker, TextDelta
from matrix.domain.entities import Verb
from matrix.ports import LanguageModels

TRIAL = ModelRequest((ChatMessage(Speaker.USER, "Reply with the word ready."),), max_output_tokens=200)


def model_providers_router(models: LanguageModels, entities: Entities) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}/model-providers", tags=["model providers"], responses=MEMBER)

    @router.post("/{id_or_key}/test", name="test_model_provider", responses=answers(ProviderTrial, 502))
    async def try_provider(id_or_key: str, scope: OrgScope) -> dict[str, object]:
        """What the model said; a problem document with the provider's reason where it refuses or does not answer."""
        await entities.allowed_on(scope, "model-providers", id_or_key, Verb.UPDATE)
        model = await models.get(scope, id_or_key)
        said = [event.text async for event in model.stream(TRIAL) if isinstance(event, TextDelta)]
        return {"ok": True, "model": model.name, "reply": "".join(said)[:200]}

    return router
