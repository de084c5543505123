"""Signing in, who one is, and what is given to people: links and API keys."""

from __future__ import annotations

from typing import Literal

from matrix.api.rest.shapes.shape import Instant, Shape
from matrix.domain.access import CredentialKind

RoleName = Literal["VIEWER", "EDITOR", "ADMIN", "OWNER"]


class Tokens(Shape):
    """What a sign-in is worth."""

    accessToken: str
    """Goes into the header `Authorization: Bearer …`."""
    refreshToken: str
    """For `POST /api/auth/refresh`, once."""
    expiresIn: int
    """Seconds that the access token is good for."""
    tokenType: Literal["Bearer"]


class SignedInUser(Shape):
    """The person behind a request."""

    id: str
    email: str
    name: str
    platformAdmin: bool
    """May make organizations."""


class Membership(Shape):
    """An organization that the person belongs to."""

    orgId: str
    orgSlug: str
    orgName: str
    role: RoleName


class Me(Shape):
    """Who is asking."""

    user: SignedInUser
    credential: CredentialKind
    """Whether a person is signed in, or an API key acts for them."""
    memberships: list[Membership]


class BrowserSession(Shape):
    """Who signed in by cookies."""

    user: SignedInUser
    credential: CredentialKind
    memberships: list[Membership]
    csrfToken: str
    """Goes into the header X-CSRF-Token of requests that change something."""
    expiresIn: int
    """Seconds until the cookies are to be refreshed."""


class Invitation(Shape):
    """An invitation that waits to be accepted."""

    id: str
    email: str
    role: RoleName
    createdAt: Instant
    expiresAt: Instant


class InvitationList(Shape):
    """All that wait."""

    items: list[Invitation]
    nextCursor: None


class NewLink(Shape):
    """A link to hand on. Nobody is shown it again."""

    id: str
    email: str
    role: RoleName
    createdAt: Instant
    expiresAt: Instant
    token: str
    """What the url holds, for `POST /api/auth/accept` or `/password`."""
    url: str


class NewApiKey(Shape):
    """A new API key with its secret, which is shown only now."""

    id: str
    entityType: Literal["ApiKey"]
    key: str | None
    orgSlug: str
    properties: dict[str, object]
    createdAt: Instant
    updatedAt: Instant
    secret: str
    """Goes into the header `Authorization: Bearer …`."""
