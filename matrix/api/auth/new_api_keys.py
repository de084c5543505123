"""A new API key of the caller, as REST and GraphQL make it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from matrix.api.auth.services import AccessServices
from matrix.domain.access import CredentialKind, Principal, Role, Scope
from matrix.domain.accounts import SHOWN_PREFIX, NewApiKey, new_api_key_secret, secret_hash
from matrix.domain.entities import Entity
from matrix.domain.names import check_name
from matrix.errors import InvalidInput


async def create_api_key(
    access: AccessServices, caller: Principal, scope: Scope, name: str, role: Role, expires_at: str | None
) -> tuple[Entity, str]:
    """The key and its secret, which is known only now. One that a key made ends with that. Errors: InvalidInput,
    NotAllowed (a role above the caller's)."""
    secret = new_api_key_secret()
    expires = expiry(expires_at) if expires_at is not None else None
    maker = caller.session_id if caller.kind is CredentialKind.API_KEY else None
    key = NewApiKey(check_name(name), role, secret[:SHOWN_PREFIX], secret_hash(secret), expires, maker)
    return await access.stores.api_keys.create(scope, key), secret


def expiry(text: str) -> datetime:
    """The moment in `expiresAt`; a day alone is meant to its end, in UTC. Errors: InvalidInput."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if "T" not in text:
            moment += timedelta(days=1)
    except (ValueError, OverflowError):
        raise InvalidInput(
            "expiresAt must be a date like 2026-11-30 or 2026-11-30T12:00:00Z.", field="expiresAt"
        ) from None
    if moment <= datetime.now(UTC):
        raise InvalidInput("expiresAt must lie in the future.", field="expiresAt")
    return moment
