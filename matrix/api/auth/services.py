"""What signing in and checking callers needs, in one frozen value that the application holds as `app.state.access`."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from matrix.api.auth.rates import LoginRates, Rates
from matrix.api.auth.tokens import SigningKey, Tokens, signing_key
from matrix.ports import AccessStores, Passwords
from matrix.settings import SecuritySettings, Settings

MINUTE, DAY = 60, 86_400


@dataclass(frozen=True, slots=True)
class AccessServices:
    """All of access. `first_slug` is the organization that every start makes sure of; `public_url` None means that
    links are made from the address that the request came to."""

    stores: AccessStores
    passwords: Passwords
    tokens: Tokens
    rates: Rates
    login_rates: LoginRates
    security: SecuritySettings
    first_slug: str
    public_url: str | None

    @property
    def refresh_seconds(self) -> int:
        return self.security.refresh_days * DAY


def access_services(settings: Settings, stores: AccessStores, passwords: Passwords) -> AccessServices:
    """Errors: InvalidSettings, the signing key is missing or weak."""
    security = settings.security
    return AccessServices(
        stores=stores,
        passwords=passwords,
        tokens=Tokens(_signing_key(settings), security.access_minutes * MINUTE),
        rates=Rates(settings.limits),
        login_rates=LoginRates(settings.limits.logins_per_15_minutes),
        security=security,
        first_slug=settings.organization,
        public_url=settings.public_url,
    )


def link_key(settings: Settings) -> bytes:
    """What signed links are signed with. Errors: InvalidSettings."""
    return hmac.digest(_signing_key(settings).root, b"links", "sha256")


def _signing_key(settings: Settings) -> SigningKey:
    secret = settings.security.signing_key
    return signing_key(secret.get_secret_value() if secret else None)
