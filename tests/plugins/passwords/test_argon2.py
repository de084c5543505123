"""Argon2id with the parameters of LIMITS, and the same work for nobody's password."""

from __future__ import annotations

import asyncio
import threading

import pytest

from matrix.plugins.passwords.argon2 import Argon2Passwords

pytestmark = pytest.mark.feature("H2")
PASSWORD = "correct horse battery"


def cheap() -> Argon2Passwords:
    return Argon2Passwords(memory_kib=64, rounds=1, lanes=1)


async def test_the_parameters_are_in_the_hash() -> None:
    hashed = await Argon2Passwords().hash(PASSWORD)
    assert hashed.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


async def test_right_and_wrong() -> None:
    passwords = cheap()
    hashed = await passwords.hash(PASSWORD)
    assert await passwords.verify(PASSWORD, hashed)
    assert not await passwords.verify(PASSWORD + " ", hashed)
    assert not await passwords.verify("", hashed)
    assert await passwords.hash(PASSWORD) != hashed


@pytest.mark.parametrize("damaged", ["", "plain", "$2b$12$abcdefghijklmnopqrstuv", "$argon2id$v=19$m=64,t=1,p=1$x$y"])
async def test_a_damaged_hash_fits_nobody(damaged: str) -> None:
    assert not await cheap().verify(PASSWORD, damaged)


async def test_nobody_has_any_password_not_even_the_one_tried_first() -> None:
    passwords = cheap()
    for _ in range(3):
        assert not await passwords.verify(PASSWORD, None)


async def test_hashes_of_other_parameters_are_outdated() -> None:
    passwords = cheap()
    hashed = await passwords.hash(PASSWORD)
    assert not passwords.outdated(hashed)
    assert Argon2Passwords(memory_kib=128, rounds=1, lanes=1).outdated(hashed)
    assert await Argon2Passwords(memory_kib=128, rounds=1, lanes=1).verify(PASSWORD, hashed)


async def test_the_event_loop_goes_on_meanwhile() -> None:
    """The hash is worked out in another thread: the loop runs on before it is done."""
    hashing = asyncio.create_task(Argon2Passwords().hash(PASSWORD))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10
    assert threading.current_thread() is threading.main_thread()
