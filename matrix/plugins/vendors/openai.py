"""The OpenAI SDK as a client of any endpoint that speaks its format, connected with explicit values, and its exceptions
translated. Shared by embedder and chat model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from matrix.errors import ProviderError, ProviderRefused
from matrix.plugins.vendors.failures import broken_reply, failure_of_status, read_retry_after, unreachable

if TYPE_CHECKING:
    import httpx2
    from openai import APIStatusError, AsyncOpenAI

PROVIDER = "The model endpoint"
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class OpenAiEndpoint:
    """Where to ask, and with which key. Many local servers want none."""

    base_url: str = OPENAI_URL
    api_key: str = field(default="", repr=False)


def connect_openai(endpoint: OpenAiEndpoint, http_client: httpx2.AsyncClient) -> AsyncOpenAI:
    """A client that takes nothing from the environment and never tries again by itself."""
    from openai import AsyncOpenAI  # noqa: PLC0415  # most of a second to load: only for who uses it

    client = AsyncOpenAI(
        api_key=endpoint.api_key or "none",  # the SDK insists on one
        admin_api_key="",
        webhook_secret="",
        base_url=endpoint.base_url,
        http_client=http_client,
        timeout=http_client.timeout,
        max_retries=0,
    )
    # OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS are read whatever is passed in
    client.organization = None
    client.project = None
    client._custom_headers = {}
    return client


@contextmanager
def openai_failures(endpoint: OpenAiEndpoint) -> Iterator[None]:
    """Translate what the SDK raises inside. Errors: ProviderUnavailable, ProviderRefused, ProviderError."""
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    try:
        yield
    except openai.APIStatusError as error:
        raise _failure(error, endpoint) from None
    except openai.APIConnectionError as error:
        if isinstance(error.__cause__, ProviderError):
            raise error.__cause__ from None  # of our own client: the address may not be reached
        raise unreachable(PROVIDER, type(error.__cause__ or error).__name__) from None
    except httpx2.HTTPError as error:
        raise unreachable(PROVIDER, type(error).__name__) from None
    except openai.APIError as error:
        # an error event inside a stream
        raise _failure_in_stream(error, endpoint) from None
    except json.JSONDecodeError:
        raise broken_reply(PROVIDER, "it is not JSON") from None


def _failure(error: APIStatusError, endpoint: OpenAiEndpoint) -> ProviderError:
    if error.code == "insufficient_quota":
        return ProviderRefused(f"{PROVIDER} says that the quota is used up.")
    return failure_of_status(
        PROVIDER,
        error.status_code,
        error.message,
        key=endpoint.api_key,
        retry_after=read_retry_after(error.response.headers),
    )


def _failure_in_stream(error: Exception, endpoint: OpenAiEndpoint) -> ProviderError:
    return failure_of_status(PROVIDER, 500, str(error), key=endpoint.api_key)
