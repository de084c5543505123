"""Every error that Matrix raises on purpose. They carry a stable code and advice, never an HTTP status.

MatrixError
├── InvalidInput            the caller's values are wrong; `field` names which
│   ├── UnknownField
│   └── InvalidSettings     a setting is wrong: stops the start
├── NotFound                absent, or not for this caller: the same answer
├── Conflict                a key is taken, a name is in use, a state forbids the step
│   └── DocumentChanged         a name belongs to another document by now: try again with that one
├── NotAuthenticated        no or wrong credentials
├── NotAllowed              the role is too low for a thing that the caller may see
├── ReadOnly                this entity type has no such verb
├── TooLarge                a limit of LIMITS is passed; says which and how much
├── TooManyRequests         a rate is passed; `retry_after` seconds
├── UnsupportedType         a file of a type that is not accepted; lists those that are
├── DocumentError           a document cannot be read; `code` says why (encrypted, corrupt, …)
├── ProviderError           a model or embedder provider failed
│   ├── ProviderUnavailable     passing: outage, 429, timeout; try again
│   └── ProviderRefused         lasting: key, quota, bad request
├── LeaseLost               another worker owns the job now; the late commit was fenced off
│   └── DocumentGone            the document was deleted while it was worked on
├── DatabaseUnavailable     the database does not answer
├── StorageUnavailable      the files' store does not answer, or is full
├── SchemaMismatch          the database is newer than the code, or a migration was changed
├── EmbedderMismatch        the pinned embedder is another one
└── LocalServerError        the embedded database cannot be installed or started
"""

from __future__ import annotations


class MatrixError(Exception):
    """Root of all. `code` is stable and scripts may test it; `advice` tells a person what to do next."""

    code: str = "error"
    advice: str = ""

    def __init__(self, message: str, *, code: str | None = None, advice: str | None = None) -> None:
        self.message = sendable(message)
        super().__init__(self.message)
        if code is not None:
            self.code = code
        if advice is not None:
            self.advice = advice


class InvalidInput(MatrixError):
    code = "invalid_input"
    advice = "Correct the named field and send the request again."

    def __init__(
        self, message: str, *, field: str | None = None, code: str | None = None, advice: str | None = None
    ) -> None:
        super().__init__(message, code=code, advice=advice)
        self.field = None if field is None else sendable(field)


class UnknownField(InvalidInput):
    code = "unknown_field"
    advice = "Remove the field, or add it to the entity type first."


class InvalidSettings(InvalidInput):
    code = "invalid_settings"
    advice = "Correct the setting in the environment or in .env, then start again."


class NotFound(MatrixError):
    code = "not_found"
    advice = "Check the id or key, and that your account may see it."


class Conflict(MatrixError):
    code = "conflict"
    advice = "Read the current state, then decide again."


class DocumentChanged(Conflict):
    code = "document_changed"
    advice = "Send the file again."


class NotAuthenticated(MatrixError):
    code = "not_authenticated"
    advice = "Sign in again, or send a valid API key as `Authorization: Bearer …`."


class NotAllowed(MatrixError):
    code = "not_allowed"
    advice = "Ask an administrator of the organization for the role that this needs."


class ReadOnly(MatrixError):
    code = "read_only"
    advice = "Entities of this type are written by Matrix itself."


class TooLarge(MatrixError):
    code = "too_large"
    advice = "Send less at once, or raise the limit in the settings."


class TooManyRequests(MatrixError):
    code = "too_many_requests"
    advice = "Wait for the time given in Retry-After."

    def __init__(self, message: str, *, retry_after: int, advice: str | None = None) -> None:
        super().__init__(message, advice=advice)
        self.retry_after = retry_after


class UnsupportedType(MatrixError):
    code = "unsupported_type"
    advice = "Convert the file to one of the accepted types."


class DocumentError(MatrixError):
    """A document that cannot be turned into text. Its `code` is stored on the version, with the advice."""

    code = "unreadable"
    advice = "Open the file yourself, save it anew, and upload it again."


class ProviderError(MatrixError):
    code = "provider_error"
    advice = "Check the model provider's settings."


class ProviderUnavailable(ProviderError):
    code = "provider_unavailable"
    advice = "The provider does not answer now; Matrix tries again by itself."

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderRefused(ProviderError):
    code = "provider_refused"
    advice = "Check the provider's key, model name and quota."


class LeaseLost(MatrixError):
    code = "lease_lost"
    advice = "Nothing to do: another worker has taken the job over."


class DocumentGone(LeaseLost):
    code = "document_gone"
    advice = "Nothing to do: the document was deleted."


class DatabaseUnavailable(MatrixError):
    code = "database_unavailable"
    advice = "Wait until the database is back; `matrix doctor` says what is wrong."


class StorageUnavailable(MatrixError):
    code = "storage_unavailable"
    advice = "Free some space, or wait until the store is back, and try again."


class SchemaMismatch(MatrixError):
    code = "schema_mismatch"
    advice = "Start the version of Matrix that last wrote this database, or a newer one."


class EmbedderMismatch(MatrixError):
    code = "embedder_mismatch"
    advice = "Start with the embedder that the database was pinned to."


class LocalServerError(MatrixError):
    code = "local_server"
    advice = "Run `matrix doctor`."


def sendable(text: str) -> str:
    """Text that may repeat what a client sent, without the halves of characters that no encoding carries."""
    return text.encode("utf-8", "replace").decode()
