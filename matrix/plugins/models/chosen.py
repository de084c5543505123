"""The chat model that an agent is to use: its own provider's, or the deployment's default."""

from __future__ import annotations

import httpx2

from matrix.domain.access import Scope
from matrix.domain.chat import ModelCredentials
from matrix.errors import InvalidInput, ProviderRefused
from matrix.plugins.models.gemini_model import GeminiModel
from matrix.plugins.models.openai_model import OpenAiModel
from matrix.plugins.vendors.gemini import GeminiKey
from matrix.plugins.vendors.openai import OPENAI_URL, OpenAiEndpoint
from matrix.ports import LanguageModel, ModelProviderStore, SecretBox

GEMINI_CHAT_MODEL = "gemini-2.5-flash"
OPENAI_CHAT_MODEL = "gpt-4o-mini"


class ChosenModels:
    """LanguageModels. `guarded` is the client for addresses that a user named: it reaches no private network."""

    def __init__(
        self,
        default: LanguageModel,
        local: LanguageModel,
        providers: ModelProviderStore,
        secrets: SecretBox,
        guarded: httpx2.AsyncClient,
    ) -> None:
        self._default = default
        self._local = local
        self._providers = providers
        self._secrets = secrets
        self._guarded = guarded

    async def get(self, scope: Scope, provider_id: str | None) -> LanguageModel:
        """Errors: NotFound, ProviderRefused (no key), InvalidSettings (the key cannot be unsealed any more)."""
        if provider_id is None:
            return self._default
        credentials = await self._providers.credentials(scope, provider_id)
        match credentials.kind:
            case "LOCAL":
                return self._local
            case "GEMINI":
                return self._gemini(credentials)
            case "OPENAI":
                return self._openai(credentials)
            case other:
                raise InvalidInput(f"There is no kind of model provider «{other}».", field="kind")

    def _gemini(self, credentials: ModelCredentials) -> LanguageModel:
        if not credentials.sealed_key:
            raise ProviderRefused("This model provider has no API key.", advice="Enter its key.")
        access = GeminiKey(self._secrets.decrypt(credentials.sealed_key), credentials.base_url)
        return GeminiModel(access, model=credentials.model or GEMINI_CHAT_MODEL, http_client=self._guarded)

    def _openai(self, credentials: ModelCredentials) -> LanguageModel:
        key = self._secrets.decrypt(credentials.sealed_key) if credentials.sealed_key else ""
        endpoint = OpenAiEndpoint(credentials.base_url or OPENAI_URL, key)
        return OpenAiModel(endpoint, model=credentials.model or OPENAI_CHAT_MODEL, http_client=self._guarded)
