"""Access, refresh and CSRF tokens: what is good, and the whole corpus of what is not."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from matrix.api.auth.tokens import AUDIENCE, ISSUER, REQUIRED, Tokens, signing_key
from matrix.domain.accounts import SignIn
from matrix.errors import InvalidSettings, NotAuthenticated

SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"
SIGN_IN = SignIn(id="a" * 32, user_id="b" * 32, generation=3)


def pem_of(key: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


PEM = pem_of(ed25519.Ed25519PrivateKey.generate())
KEYS = {"shared secret": SECRET, "Ed25519": PEM}


def claims(**changes: object) -> dict[str, object]:
    now = datetime.now(UTC)
    good: dict[str, object] = {
        "sub": SIGN_IN.user_id,
        "sid": SIGN_IN.id,
        "jti": "c",
        "iss": ISSUER,
        "aud": AUDIENCE,
        "iat": now,
        "exp": now + timedelta(minutes=5),
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not ...}


def signed(payload: dict[str, object], key: str = SECRET, **header: object) -> str:
    chosen = signing_key(key)
    return jwt.encode(payload, chosen.private, chosen.algorithm, headers={"kid": chosen.kid, **header})


def unsigned(header: dict[str, object], payload: dict[str, object]) -> str:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value, default=str).encode()).decode().rstrip("=")

    return f"{part(header)}.{part(payload)}."


def without_time(payload: dict[str, object]) -> dict[str, object]:
    return {k: int(v.timestamp()) if isinstance(v, datetime) else v for k, v in payload.items()}


def confused() -> str:
    """Signed by HMAC with the public key of an Ed25519 key as the secret, by hand: libraries refuse to."""
    key = signing_key(PEM)
    assert isinstance(key.public, ed25519.Ed25519PublicKey)
    public = key.public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return jwt.encode(claims(), public, "HS256", headers={"kid": key.kid})


PAST = datetime.now(UTC) - timedelta(hours=1)
BAD: dict[str, Callable[[], str]] = {
    "empty": lambda: "",
    "null": lambda: "null",
    "one dot": lambda: "a.b",
    "three dots": lambda: "a.b.c.d",
    "not base64": lambda: "é.é.é",
    "nul byte": lambda: "\x00.\x00.\x00",
    "header is null": lambda: "bnVsbA.bnVsbA.bnVsbA",
    "header is a list": lambda: "W10.W10.W10",
    "payload is null": lambda: jwt.api_jws.encode(b"null", SECRET, headers={"kid": signing_key(SECRET).kid}),
    "payload is empty": lambda: signed({}),
    "alg none": lambda: unsigned({"alg": "none", "kid": signing_key(SECRET).kid}, without_time(claims())),
    "alg NoNe": lambda: unsigned({"alg": "NoNe", "kid": signing_key(SECRET).kid}, without_time(claims())),
    "alg missing": lambda: unsigned({"kid": signing_key(SECRET).kid}, without_time(claims())),
    "another HMAC": lambda: jwt.encode(claims(), SECRET * 2, "HS512", headers={"kid": signing_key(SECRET).kid}),
    "foreign secret": lambda: jwt.encode(claims(), SECRET[::-1], "HS256", headers={"kid": signing_key(SECRET).kid}),
    "no kid": lambda: jwt.encode(claims(), SECRET, "HS256"),
    "another kid": lambda: signed(claims(), kid="other"),
    "expired": lambda: signed(claims(exp=PAST)),
    "exp is text": lambda: signed(claims(exp="tomorrow")),
    "issued tomorrow": lambda: signed(claims(iat=datetime.now(UTC) + timedelta(days=1))),
    "not yet": lambda: signed(claims(nbf=datetime.now(UTC) + timedelta(days=1))),
    "wrong audience": lambda: signed(claims(aud="other")),
    "a list of audiences": lambda: signed(claims(aud=[AUDIENCE, "other"])),
    "wrong issuer": lambda: signed(claims(iss="other")),
    "a refresh token": lambda: Tokens(signing_key(SECRET), 600).refresh_token(SIGN_IN),
    **{f"no {name}": (lambda name=name: signed(claims(**{name: ...}))) for name in REQUIRED},
}


@pytest.mark.feature("H1", "H2")
@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_token_tells_who_signed_in(key: str) -> None:
    tokens = Tokens(signing_key(key), 600)
    read = tokens.read_access_token(tokens.access_token(SIGN_IN))
    assert (read.user_id, read.sign_in_id) == (SIGN_IN.user_id, SIGN_IN.id)


@pytest.mark.feature("H1", "H2")
@pytest.mark.parametrize("make", BAD.values(), ids=list(BAD))
def test_bad_tokens_are_refused(make: Callable[[], str]) -> None:
    with pytest.raises(NotAuthenticated):
        Tokens(signing_key(SECRET), 600).read_access_token(make())


def test_the_corpus_fails_for_its_own_reason_only() -> None:
    read = Tokens(signing_key(SECRET), 600).read_access_token(signed(claims()))
    assert read.sign_in_id == SIGN_IN.id


@pytest.mark.feature("H2")
def test_the_public_key_is_no_secret() -> None:
    with pytest.raises(NotAuthenticated):
        Tokens(signing_key(PEM), 600).read_access_token(confused())


def test_tokens_of_another_key_are_refused() -> None:
    other = Tokens(signing_key(pem_of(ed25519.Ed25519PrivateKey.generate())), 600)
    with pytest.raises(NotAuthenticated):
        Tokens(signing_key(PEM), 600).read_access_token(other.access_token(SIGN_IN))


@pytest.mark.feature("H1")
@pytest.mark.parametrize(
    "weak",
    [
        None,
        "",
        "short",
        "x" * 31,
        "x" * 64,
        "changeme" * 8,
        "-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----",
        pem_of(ec.generate_private_key(ec.SECP256R1())),
    ],
)
def test_no_start_with_a_weak_key(weak: str | None) -> None:
    with pytest.raises(InvalidSettings) as caught:
        signing_key(weak)
    assert caught.value.field == "MATRIX_SECURITY__SIGNING_KEY"


def test_a_generation_has_one_refresh_token() -> None:
    tokens = Tokens(signing_key(SECRET), 600)
    assert tokens.refresh_token(SIGN_IN) == tokens.refresh_token(SIGN_IN)
    assert tokens.read_refresh_token(tokens.refresh_token(SIGN_IN)) == (SIGN_IN.id, 3)


@pytest.mark.parametrize("change", ["", "x", "..", "a.1.", "a.b.c", "{next}", "{cut}", "é.1.é"])
def test_refresh_tokens_cannot_be_made_up(change: str) -> None:
    tokens = Tokens(signing_key(SECRET), 600)
    good = tokens.refresh_token(SIGN_IN)
    forged = change.format(next=good.replace(".3.", ".4."), cut=good[:-1])
    with pytest.raises(NotAuthenticated):
        tokens.read_refresh_token(forged)


def test_a_csrf_token_belongs_to_one_sign_in() -> None:
    tokens = Tokens(signing_key(SECRET), 600)
    assert tokens.is_csrf_token(tokens.csrf_token("one"), "one")
    assert not tokens.is_csrf_token(tokens.csrf_token("one"), "two")
    assert not tokens.is_csrf_token("", "one")
