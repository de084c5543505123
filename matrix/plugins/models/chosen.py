"""The chat model that an agent is to use: its own provider's, or the deployment's default."""

from __future__ import annotations

import httpx2

from matrix.domain.access import Scope
from matrix.domain.entities import Entity, EntityType
from matrix.errors import InvalidInput, ProviderRefused
from matrix.plugins.models.gemini_model import GeminiModel
from matrix.plugins.models.openai_model import OpenAiModel
from matrix.plugins.vendors.gemini import GeminiKey
from matrix.plugins.vendors.openai import OPENAI_URL, OpenAiEndpoint
from matrix.ports import EntityStore, LanguageModel, SecretBox

GEMINI_CHAT_MODEL = "gemini-2.5-flash"
OPENAI_CHAT_MODEL = "gpt-4o-mini"


class ChosenModels:
    """LanguageModels over the model providers of an organization, which are entities of `provider_type`.

    `guarded` is the client for addresses that a user named: it reaches no private network.
    """

    def __init__(
        self,
        entities: EntityStore,
        provider_type: EntityType,
        secrets: SecretBox,
        *,
        default: LanguageModel,
        local: LanguageModel,
        guarded: httpx2.AsyncClient,
    ) -> None:
        self._entities = entities
        self._type = provider_type
        self._secrets = secrets
        self._default = default
        self._local = local
        self._guarded = guarded

    async def get(self, scope: Scope, provider_id: str | None) -> LanguageModel:
        """Errors: NotFound, ProviderRefused (no key), InvalidSettings (the key cannot be unsealed any more)."""
        if provider_id is None:
            return self._default
        provider = await self._entities.get(scope, self._type, provider_id)
        match provider.properties["kind"]:
            case "LOCAL":
                return self._local
            case "GEMINI":
                return self._gemini(provider, await self._key(scope, provider))
            case "OPENAI":
                return self._openai(provider, await self._key(scope, provider))
            case other:
                raise InvalidInput(f"There is no kind of model provider «{other}».", field="kind")

    async def _key(self, scope: Scope, provider: Entity) -> str:
        sealed = await self._entities.hidden_value(scope, self._type, provider.id, "apiKey")
        return self._secrets.decrypt(sealed) if isinstance(sealed, str) else ""

    def _gemini(self, provider: Entity, key: str) -> LanguageModel:
        if not key:
            raise ProviderRefused("This model provider has no API key.", advice="Enter its key.")
        access = GeminiKey(key, _text(provider, "baseUrl"))
        return GeminiModel(access, model=_text(provider, "model") or GEMINI_CHAT_MODEL, http_client=self._guarded)

    def _openai(self, provider: Entity, key: str) -> LanguageModel:
        endpoint = OpenAiEndpoint(_text(provider, "baseUrl") or OPENAI_URL, key)
        return OpenAiModel(endpoint, model=_text(provider, "model") or OPENAI_CHAT_MODEL, http_client=self._guarded)


def _text(provider: Entity, name: str) -> str | None:
    value = provider.properties.get(name)
    return value if isinstance(value, str) and value else None
