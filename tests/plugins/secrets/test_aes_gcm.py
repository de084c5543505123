"""Secrets at rest: sealed differently each time, and readable with the same key alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.errors import InvalidSettings
from matrix.plugins.secrets.aes_gcm import AesGcmSecretBox

pytestmark = pytest.mark.feature("G9")
KEY = "an encryption key of enough bytes"


@given(st.text(max_size=200))
def test_what_is_sealed_opens_again(secret: str) -> None:
    box = AesGcmSecretBox(KEY)
    sealed = box.encrypt(secret)
    assert AesGcmSecretBox(KEY).decrypt(sealed) == secret
    assert len(secret) < 4 or secret not in sealed
    assert box.encrypt(secret) != sealed


def test_another_key_says_that_the_key_changed() -> None:
    sealed = AesGcmSecretBox(KEY).encrypt("sk-canary")
    with pytest.raises(InvalidSettings) as caught:
        AesGcmSecretBox(KEY[::-1]).decrypt(sealed)
    assert "another one than when it was stored" in caught.value.message
    assert caught.value.code == "secret_unreadable"
    assert "canary" not in caught.value.message + caught.value.advice


@pytest.mark.parametrize("change", ["", "sk-plain", "s1", "s1.x", "s2{rest}", "{cut}", "{flipped}", "{head}."])
def test_what_is_damaged_is_refused(change: str) -> None:
    box = AesGcmSecretBox(KEY)
    sealed = box.encrypt("sk-canary")
    flipped = sealed[:-6] + ("A" if sealed[-6] != "A" else "B") + sealed[-5:]
    damaged = change.format(rest=sealed[2:], cut=sealed[:-4], flipped=flipped, head=sealed.rpartition(".")[0])
    with pytest.raises(InvalidSettings):
        box.decrypt(damaged)


@pytest.mark.parametrize("weak", ["", "short", "x" * 31])
def test_a_short_key_stops_the_start(weak: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        AesGcmSecretBox(weak)
    assert caught.value.field == "MATRIX_SECURITY__ENCRYPTION_KEY"
