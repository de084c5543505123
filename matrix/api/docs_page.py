"""`/docs`: the REST documentation, from files that a package carries, so that it works without a network."""

from __future__ import annotations

from importlib.resources import files

from fastapi import FastAPI, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

# Swagger UI sets style attributes and draws icons from data addresses; scripts come from this server alone.
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
    " frame-ancestors 'none'"
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Matrix: REST</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css"></head>
<body><div id="docs"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
"""
START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#docs", deepLinking: true, persistAuthorization: false});\n'


def add_docs_page(app: FastAPI) -> None:
    """Adds the page and what it loads. Who opens the bare address is led there."""
    headers = {"Content-Security-Policy": POLICY}

    @app.get("/", include_in_schema=False)
    async def home() -> RedirectResponse:
        return RedirectResponse("/docs")

    @app.get("/docs", include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(PAGE, headers=headers)

    @app.get("/docs/start.js", include_in_schema=False)
    async def start() -> Response:
        return Response(START, media_type="text/javascript")

    app.mount("/docs/assets", StaticFiles(directory=str(files("fastapi_offline").joinpath("static"))))
