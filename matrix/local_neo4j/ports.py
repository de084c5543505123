"""What the embedded server needs from outside: somebody who speaks Bolt, and somebody who shows progress."""

from __future__ import annotations

from typing import Protocol


class ServerProbe(Protocol):
    """Speaks Bolt to the server. `matrix.graph` implements it, since only it may use the driver."""

    async def is_ready(self, bolt_uri: str, user: str, password: str) -> bool:
        """True when the default database answers a query with these credentials. False, not an error, when nothing
        answers, when it is still starting, and when the password is refused. Takes at most a few seconds."""
        ...

    async def set_first_password(self, bolt_uri: str, new_password: str) -> None:
        """Sign in to `system` as neo4j/neo4j and replace that password. Raises a `MatrixError` when refused."""
        ...


class Progress(Protocol):
    """Draws one step at a time; always called from the event loop's thread. A step that fails is not finished."""

    def begin(self, step: str, total: int | None) -> None:
        """A step starts: its name for a person, and its size in bytes (None: unknown)."""
        ...

    def advance(self, amount: int) -> None:
        """`amount` more bytes of the current step are done."""
        ...

    def finish(self) -> None:
        """The current step is done."""
        ...


class SilentProgress:
    """Shows nothing."""

    def begin(self, step: str, total: int | None) -> None:
        pass

    def advance(self, amount: int) -> None:
        pass

    def finish(self) -> None:
        pass
