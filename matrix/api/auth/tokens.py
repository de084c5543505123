"""Tokens that Matrix signs: access tokens (JWT), refresh tokens and CSRF tokens. Whether a token's sign-in still stands
is the store's to say; here only what a token itself proves."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from matrix.domain.accounts import SignIn
from matrix.domain.ids import new_id
from matrix.errors import InvalidSettings, NotAuthenticated

ISSUER = "matrix"
AUDIENCE = "matrix-api"
REQUIRED = ["exp", "iat", "iss", "aud", "sub", "jti", "sid"]
SETTING = "MATRIX_SECURITY__SIGNING_KEY"
SHORTEST_SECRET = 32  # bytes
FEWEST_SYMBOLS = 10  # different bytes: a random secret of 32 hex digits has 14, a word said again and again fewer
LEEWAY_SECONDS = 5  # clocks of several machines


@dataclass(frozen=True, slots=True)
class SigningKey:
    """One key and its one algorithm. `root` is what keys for other purposes are derived from."""

    algorithm: str
    kid: str
    private: Ed25519PrivateKey | bytes
    public: Ed25519PublicKey | bytes
    root: bytes


@dataclass(frozen=True, slots=True)
class AccessClaims:
    """What a good access token says: who, under which sign-in."""

    user_id: str
    sign_in_id: str


def signing_key(secret: str | None) -> SigningKey:
    """The key from the settings: an Ed25519 private key in PEM, or a secret text. Errors: InvalidSettings (absent or
    weak)."""
    if not secret:
        raise _weak("is missing")
    return _ed25519(secret) if secret.lstrip().startswith("-----BEGIN") else _shared_secret(secret.encode())


class Tokens:
    """Makes and checks tokens with one key."""

    def __init__(self, key: SigningKey, access_seconds: int) -> None:
        self.access_seconds = access_seconds
        self._key = key
        self._refresh_key = hmac.digest(key.root, b"refresh", "sha256")
        self._csrf_key = hmac.digest(key.root, b"csrf", "sha256")

    def access_token(self, sign_in: SignIn) -> str:
        now = datetime.now(UTC)
        claims = {
            "sub": sign_in.user_id,
            "sid": sign_in.id,
            "jti": new_id(),
            "iss": ISSUER,
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + timedelta(seconds=self.access_seconds),
        }
        return jwt.encode(claims, self._key.private, self._key.algorithm, headers={"kid": self._key.kid})

    def read_access_token(self, token: str) -> AccessClaims:
        """Errors: NotAuthenticated, for everything but a current token of this key."""
        try:
            if jwt.get_unverified_header(token).get("kid") != self._key.kid:
                raise jwt.InvalidTokenError("another key")
            claims = jwt.decode(
                token,
                self._key.public,
                algorithms=[self._key.algorithm],
                audience=AUDIENCE,
                issuer=ISSUER,
                leeway=LEEWAY_SECONDS,
                options={"require": REQUIRED, "strict_aud": True},
            )
        except jwt.ExpiredSignatureError:
            raise NotAuthenticated("The access token has expired.", code="token_expired") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise NotAuthenticated("The access token is not valid.") from None
        return AccessClaims(user_id=str(claims["sub"]), sign_in_id=str(claims["sid"]))

    def refresh_token(self, sign_in: SignIn) -> str:
        """`<sign-in>.<generation>.<proof>`: the same generation is always the same token."""
        body = f"{sign_in.id}.{sign_in.generation}"
        return f"{body}.{self._proof(self._refresh_key, body)}"

    def read_refresh_token(self, token: str) -> tuple[str, int]:
        """The sign-in and generation of a refresh token. Errors: NotAuthenticated."""
        body, _, proof = token.rpartition(".")
        if not body or not _same(proof, self._proof(self._refresh_key, body)):
            raise NotAuthenticated("The refresh token is not valid.")
        sign_in_id, _, generation = body.partition(".")
        return sign_in_id, int(generation)

    def csrf_token(self, sign_in_id: str) -> str:
        return self._proof(self._csrf_key, sign_in_id)

    def is_csrf_token(self, token: str, sign_in_id: str) -> bool:
        return _same(token, self.csrf_token(sign_in_id))

    @staticmethod
    def _proof(key: bytes, text: str) -> str:
        return hmac.new(key, text.encode(), "sha256").hexdigest()


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _ed25519(pem: str) -> SigningKey:
    try:
        private = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise _weak("is not a readable private key in PEM") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise _weak("is not an Ed25519 key")
    public = private.public_key()
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    root = private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    return SigningKey("EdDSA", hashlib.sha256(raw).hexdigest()[:16], private, public, root)


def _shared_secret(secret: bytes) -> SigningKey:
    if len(secret) < SHORTEST_SECRET:
        raise _weak(f"is shorter than {SHORTEST_SECRET} bytes")
    if len(set(secret)) < FEWEST_SYMBOLS:
        raise _weak("repeats itself and could be guessed")
    kid = hmac.new(secret, b"kid", "sha256").hexdigest()[:16]
    return SigningKey("HS256", kid, secret, secret, secret)


def _weak(why: str) -> InvalidSettings:
    return InvalidSettings(
        f"The setting {SETTING} {why}.",
        field=SETTING,
        advice=f"Set it to an Ed25519 private key in PEM, or to {SHORTEST_SECRET} or more random characters.",
    )
