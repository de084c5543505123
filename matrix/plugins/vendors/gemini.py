"""Google's SDK, connected with explicit values, and its exceptions translated. Shared by embedder and chat model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ValidationError

from matrix.errors import ProviderError
from matrix.plugins.vendors.failures import broken_reply, failure_of_status, read_retry_after, unreachable
from matrix.plugins.vendors.patience import Timeouts

if TYPE_CHECKING:
    import httpx2
    from google.auth.credentials import Credentials
    from google.genai import Client
    from google.genai.errors import APIError

PROVIDER = "Gemini"
_DEVELOPER_URL = "https://generativelanguage.googleapis.com/"
_RETRY_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


@dataclass(frozen=True, slots=True)
class GeminiKey:
    """The Gemini API with a key. `base_url` points it elsewhere: a proxy, a test server."""

    api_key: str = field(repr=False)
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class VertexProject:
    """Gemini on Google Cloud. Without `credentials` Google's own lookup finds them (a file, the machine's account)."""

    project: str
    location: str = "us-central1"
    base_url: str | None = None
    credentials: Credentials | None = field(default=None, repr=False)


GeminiAccess = GeminiKey | VertexProject


def connect_gemini(access: GeminiAccess, http_client: httpx2.AsyncClient, timeouts: Timeouts) -> Client:
    """A client that takes nothing from the environment (but Google Cloud credentials that were not given)."""
    from google import genai  # noqa: PLC0415  # more than a second to load: only for who uses it
    from google.genai import types  # noqa: PLC0415

    options = types.HttpOptions(
        httpx_async_client=http_client,
        timeout=int(timeouts.read * 1000),  # without it the SDK switches the client's own timeouts off
        headers={"X-Server-Timeout": str(math.ceil(timeouts.total))},
    )
    match access:
        case GeminiKey(api_key=key, base_url=url):
            options.base_url, options.api_version = url or _DEVELOPER_URL, "v1beta"
            return genai.Client(vertexai=False, api_key=key, http_options=options)
        case VertexProject(project=project, location=location, base_url=url, credentials=credentials):
            options.base_url, options.api_version = url or _vertex_url(location), "v1beta1"
            return genai.Client(
                vertexai=True, project=project, location=location, credentials=credentials, http_options=options
            )


@contextmanager
def gemini_failures(access: GeminiAccess) -> Iterator[None]:
    """Translate what the SDK raises inside. Errors: ProviderUnavailable, ProviderRefused, ProviderError."""
    import httpx2  # noqa: PLC0415
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415
    from google.genai.errors import APIError, UnknownApiResponseError  # noqa: PLC0415

    try:
        yield
    except APIError as error:
        raise _failure(error, access) from None
    except (UnknownApiResponseError, json.JSONDecodeError):
        raise broken_reply(PROVIDER, "it is not JSON") from None
    except (ValidationError, TypeError, AttributeError) as error:
        # the last two: the SDK unpacks the JSON before it checks it
        raise broken_reply(PROVIDER, "it has another shape than documented") from error
    except httpx2.HTTPError as error:
        raise unreachable(PROVIDER, type(error).__name__) from None
    except GoogleAuthError as error:
        raise failure_of_status(PROVIDER, 401, type(error).__name__, key="") from None


def _failure(error: APIError, access: GeminiAccess) -> ProviderError:
    key = access.api_key if isinstance(access, GeminiKey) else ""
    return failure_of_status(
        PROVIDER, int(error.code or 500), str(error.message or ""), key=key, retry_after=_retry_after(error)
    )


def _retry_after(error: APIError) -> float | None:
    headers = getattr(error.response, "headers", None) or {}
    seconds = read_retry_after(headers)
    if seconds is not None:
        return seconds
    # without the header the wait stands in the body: {"@type": "…RetryInfo", "retryDelay": "34s"}
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error", body)
    details = inner.get("details", []) if isinstance(inner, dict) else []
    for detail in details if isinstance(details, list) else []:
        found = _RETRY_DELAY.fullmatch(str(detail.get("retryDelay", ""))) if isinstance(detail, dict) else None
        if found:
            return float(found[1])
    return None


def _vertex_url(location: str) -> str:
    return f"https://{'' if location == 'global' else location + '-'}aiplatform.googleapis.com/"
