"""Secrets at rest, sealed with AES-256-GCM. The key comes from the settings and is nowhere in the database."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from matrix.errors import InvalidSettings

SETTING = "MATRIX_SECURITY__ENCRYPTION_KEY"
SHORTEST_KEY = 32  # bytes
_FORMAT = "s1"
_NONCE = 12


class AesGcmSecretBox:
    """SecretBox. A sealed secret is `s1.<which key>.<base64>`."""

    def __init__(self, key: str) -> None:
        """`key` is any secret text of at least 32 bytes. Errors: InvalidSettings."""
        raw = key.encode()
        if len(raw) < SHORTEST_KEY:
            raise InvalidSettings(f"{SETTING} must be at least {SHORTEST_KEY} bytes long.", field=SETTING)
        self._cipher = AESGCM(hashlib.sha256(b"matrix secret box" + raw).digest())
        self._key_id = hashlib.sha256(b"matrix secret box id" + raw).hexdigest()[:8]

    def encrypt(self, secret: str) -> str:
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, secret.encode(), None)
        return f"{_FORMAT}.{self._key_id}.{base64.urlsafe_b64encode(sealed).decode()}"

    def decrypt(self, sealed: str) -> str:
        """The secret again. Errors: InvalidSettings (another key, or damaged)."""
        form, _, rest = sealed.partition(".")
        key_id, _, body = rest.partition(".")
        if form != _FORMAT:
            raise _unreadable("it is not in a form that this version knows")
        if key_id != self._key_id:
            raise _unreadable(f"{SETTING} is another one than when it was stored")
        try:
            raw = base64.b64decode(body, altchars=b"-_", validate=True)
            return self._cipher.decrypt(raw[:_NONCE], raw[_NONCE:], None).decode()
        except (InvalidTag, binascii.Error, ValueError):
            raise _unreadable("it is damaged") from None


def _unreadable(why: str) -> InvalidSettings:
    return InvalidSettings(
        f"A stored secret cannot be read: {why}.",
        field=SETTING,
        code="secret_unreadable",
        advice=f"Set {SETTING} to its earlier value, or enter the secret again.",
    )
