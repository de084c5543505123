"""The few calls that benchmarks make to a running API."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2

from benchmarks.running import Installation

Json = dict[str, Any]
ENDED = ("COMPLETED", "FAILED", "CANCELLED")


class Client:
    """One organization's REST API; every answer that is an error ends the benchmark."""

    def __init__(self, place: Installation, http: httpx2.AsyncClient) -> None:
        self._prefix = f"{place.url}/api/orgs/{place.settings.organization}"
        self._http = http
        self._headers = place.headers

    async def new_corpus(self, key: str) -> None:
        await self._call("POST", "/knowledge", json={"properties": {"key": key, "name": key}})

    async def upload(self, knowledge: str, name: str, data: bytes) -> Json:
        """The receipt."""
        answer = await self._call("POST", f"/knowledge/{knowledge}/files", files={"file": (name, data)})
        receipt: Json = answer["documents"][0]
        if receipt.get("error"):
            raise RuntimeError(receipt["error"])
        return receipt

    async def reprocess(self, document: str) -> None:
        await self._call("POST", f"/documents/{document}/reprocess")

    async def document(self, document: str) -> Json:
        properties: Json = (await self._call("GET", f"/documents/{document}"))["properties"]
        return properties

    async def ended(self, document: str, version: int = 1, poll: float = 1.0) -> Json:
        """The document once it is COMPLETED. Polls rarely: asking costs what is measured."""
        while True:
            found = await self.document(document)
            if found["version"] == version and found["status"] in ENDED:
                break
            await asyncio.sleep(poll)
        if found["status"] != "COMPLETED":
            raise RuntimeError(f"{found['status']}: {found.get('errorCode')} {found.get('errorReason')}")
        return found

    async def search(self, knowledge: str, query: str) -> Json:
        return await self._call("POST", f"/knowledge/{knowledge}/search", json={"query": query})

    async def _call(self, method: str, path: str, **more: Any) -> Json:
        answer = await self._http.request(method, self._prefix + path, headers=self._headers, **more)
        answer.raise_for_status()
        found: Json = answer.json()
        return found


def http_client(connections: int = 10) -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    return httpx2.AsyncClient(trust_env=False, timeout=120, limits=limits)
