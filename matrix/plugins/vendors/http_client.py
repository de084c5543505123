"""The HTTP client that an adapter makes for itself where none is passed in."""

from __future__ import annotations

import httpx2

from matrix.plugins.vendors.patience import Timeouts


def new_http_client(timeouts: Timeouts) -> httpx2.AsyncClient:
    """No proxy and no certificates from the environment, no redirects: it goes where the settings say, or nowhere."""
    limits = httpx2.Timeout(timeouts.read, connect=timeouts.connect)

    async def limit(request: httpx2.Request) -> None:
        # Google's SDK sets one number for all phases, or none
        request.extensions = {**request.extensions, "timeout": limits.as_dict()}

    return httpx2.AsyncClient(timeout=limits, trust_env=False, follow_redirects=False, event_hooks={"request": [limit]})
