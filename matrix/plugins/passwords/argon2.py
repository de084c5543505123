"""Passwords as Argon2id hashes. Which passwords are allowed is in `matrix.domain.accounts`."""

from __future__ import annotations

import asyncio

from pwdlib import PasswordHash
from pwdlib.exceptions import PwdlibError
from pwdlib.hashers.argon2 import Argon2Hasher

AT_ONCE = 2  # hashes at a time: each takes all of `memory_kib`


class Argon2Passwords:
    """Passwords by Argon2id, in threads. The defaults are 64 MiB, three rounds, four lanes."""

    def __init__(self, memory_kib: int = 65536, rounds: int = 3, lanes: int = 4) -> None:
        hasher = Argon2Hasher(time_cost=rounds, memory_cost=memory_kib, parallelism=lanes)
        self._vendor = PasswordHash((hasher,))
        self._hasher = hasher
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._nobody: str | None = None

    async def hash(self, password: str) -> str:
        async with self._turns:
            return await asyncio.to_thread(self._vendor.hash, password)

    async def verify(self, password: str, password_hash: str | None) -> bool:
        """Whether the password is right. `password_hash` None (no such account) takes the same work, and is False."""
        if password_hash is not None:
            return await self._verify(password, password_hash)
        if self._nobody is None:  # making a hash is the same work as checking one
            self._nobody = await self.hash(password)
        else:
            await self._verify(password, self._nobody)
        return False

    def outdated(self, password_hash: str) -> bool:
        """Whether the hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(password_hash)

    async def _verify(self, password: str, password_hash: str) -> bool:
        async with self._turns:
            try:
                return await asyncio.to_thread(self._vendor.verify, password, password_hash)
            except PwdlibError:  # a hash of another kind: nobody's password fits it
                return False
