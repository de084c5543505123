"""People's accounts and the credentials that stand for them, as values. How a password is hashed or a token signed is
not here; neither is who may see what (`access`)."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from matrix.domain.access import Role
from matrix.errors import InvalidInput

PASSWORD_LENGTHS = (12, 128)  # characters, both included
API_KEY_MARK = "mtx_"  # every API key's secret starts so; nothing else does
SHOWN_PREFIX = 12  # characters of a secret that may be shown
_EMAIL = re.compile(r"[^@\s\x00-\x1f<>\"(),:;\\]{1,64}@[^@\s\x00-\x1f<>\"(),:;\\]{1,189}")


@dataclass(frozen=True, slots=True)
class Account:
    """A person on the platform. `suspended`: every organization that the person belongs to has suspended them."""

    id: str
    email: str
    name: str
    platform_admin: bool
    suspended: bool
    password_hash: str | None


@dataclass(frozen=True, slots=True)
class SignIn:
    """A family of refresh tokens: one sign-in on one device. `generation` counts its tokens from 0; only the newest is
    good."""

    id: str
    user_id: str
    generation: int


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """An API key to be stored. `expires_at` is None for one that lasts until it is deleted; `made_with` is the key that
    asked for it, which it does not outlive."""

    name: str
    role: Role
    prefix: str
    secret_hash: str
    expires_at: datetime | None = None
    made_with: str | None = None


class LinkKind(StrEnum):
    INVITATION = "INVITATION"
    RESET = "RESET"


@dataclass(frozen=True, slots=True)
class OneTimeLink:
    """What a one-time link grants: joining an organization in a role, or setting a new password."""

    id: str
    kind: LinkKind
    org_id: str
    email: str
    role: Role
    created_at: datetime
    expires_at: datetime


def check_email(raw: str) -> str:
    """The address as it is stored and compared: NFKC, small letters. Errors: InvalidInput."""
    email = unicodedata.normalize("NFKC", raw.strip()).casefold()
    if not _EMAIL.fullmatch(email):
        raise InvalidInput("This is not an e-mail address.", field="email")
    return email


def check_password(password: str, field: str = "password") -> str:
    """The password itself, if its length is allowed. Errors: InvalidInput."""
    shortest, longest = PASSWORD_LENGTHS
    if not shortest <= len(password) <= longest:
        raise InvalidInput(f"A password has {shortest} to {longest} characters.", field=field)
    return password


def new_api_key_secret() -> str:
    """A new API key's secret: 256 random bits. Only its hash is stored."""
    return API_KEY_MARK + secrets.token_urlsafe(32)


def check_api_key_secret(secret: str) -> str:
    """A secret that `new_api_key_secret` could have made. Errors: InvalidInput."""
    if not secret.startswith(API_KEY_MARK) or len(secret) < len(API_KEY_MARK) + 32:
        raise InvalidInput(f"An API key is {API_KEY_MARK} and 32 or more random characters.", field="api_key")
    return secret


def new_link_token() -> str:
    """The secret part of a one-time link: 256 random bits."""
    return secrets.token_urlsafe(32)


def secret_hash(secret: str) -> str:
    """SHA-256 in hex: enough for secrets of 256 random bits, and quick enough for every request."""
    return hashlib.sha256(secret.encode()).hexdigest()
