"""GraphQL calls of one person, over the deployment that REST's tests use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2
from fastapi import FastAPI

from tests.support.application import Deployment
from tests.support.tenants import Api

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Graph:
    """`org` None sends no header: the organization is found by what the caller belongs to."""

    deployment: Deployment
    headers: dict[str, str]
    org: str | None = None
    app: FastAPI | None = None

    async def post(self, body: object, headers: dict[str, str] | None = None) -> httpx2.Response:
        org = {"X-Matrix-Org": self.org} if self.org else {}
        async with self.deployment.client(app=self.app) as client:
            return await client.post("/graphql", json=body, headers={**self.headers, **org, **(headers or {})})

    async def run(self, query: str, /, **variables: object) -> Json:
        answer = await self.post({"query": query, "variables": variables})
        body: Json = answer.json()
        return body

    async def data(self, query: str, /, **variables: object) -> Json:
        """The data of an operation without errors."""
        body = await self.run(query, **variables)
        assert "errors" not in body, body["errors"]
        data: Json = body["data"]
        return data

    async def refused(self, query: str, code: str, /, **variables: object) -> Json:
        """The first error of an operation, which has this code."""
        body = await self.run(query, **variables)
        assert body.get("errors"), body
        error: Json = body["errors"][0]
        assert error["extensions"]["code"] == code, error
        assert error["message"] and error["extensions"]["advice"], error
        return error


def graph_of(api: Api, app: FastAPI | None = None) -> Graph:
    return Graph(api.deployment, api.headers, api.slug, app)


def nodes(connection: Json) -> list[Json]:
    return [edge["node"] for edge in connection["edges"]]
