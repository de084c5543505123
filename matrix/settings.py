"""The only reader of the environment. Settings are read once, frozen, and handed down as values.

Prefix `MATRIX_`, nested with `__`; a few names that other tools share (`NEO4J_URI`, `GEMINI_API_KEY`, …) are read too.
Errors: InvalidSettings, one sentence that names the setting.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from dotenv import dotenv_values
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from matrix.errors import InvalidSettings

MIB = 1024 * 1024
ENV_FILE = ".env"
CLIENT_NAMES = ("url", "api_key", "org")
"""What the command line reads as MATRIX_URL and so on, to find a running Matrix."""
SHARED_NAMES = {
    "NEO4J_URI": ("neo4j", "uri"),
    "NEO4J_USERNAME": ("neo4j", "username"),
    "NEO4J_PASSWORD": ("neo4j", "password"),
    "NEO4J_DATABASE": ("neo4j", "database"),
    "GEMINI_API_KEY": ("gemini", "api_key"),
    "OPENAI_API_KEY": ("openai", "api_key"),
    "OPENAI_BASE_URL": ("openai", "base_url"),
}


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Neo4jSettings(Section):
    """An external database; with no `uri` Matrix starts its own."""

    uri: str | None = None
    username: str = "neo4j"
    password: SecretStr = SecretStr("")
    database: str = "neo4j"
    transaction_seconds: float = Field(15, gt=0, le=600)

    @field_validator("uri")
    @classmethod
    def _scheme(cls, value: str | None) -> str | None:
        schemes = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")
        if value and not value.startswith(schemes):
            raise ValueError(f"must start with one of {', '.join(schemes)}")
        return value or None


class EmbedderSettings(Section):
    """Which embedder a new database is pinned to. `auto`: Gemini with its key, else OpenAI-compatible with a model
    named here, else the local one."""

    provider: Literal["auto", "local", "gemini", "openai"] = "auto"
    model: str | None = None
    dimensions: int | None = Field(None, ge=8, le=4096)
    threads: int = Field(2, ge=1, le=64)


class GeminiSettings(Section):
    api_key: SecretStr | None = None
    base_url: str | None = None
    chat_model: str = "gemini-2.5-flash"
    embedding_model: str = "gemini-embedding-001"
    dimensions: int = Field(768, ge=8, le=3072)
    vertex_project: str | None = None
    vertex_location: str = "us-central1"


class OpenAISettings(Section):
    api_key: SecretStr | None = None
    base_url: str | None = None
    chat_model: str = "gpt-4o-mini"
    embedding_model: str | None = None


class LimitSettings(Section):
    """See docs/LIMITS.md for what each protects."""

    upload_file_bytes: int = Field(50 * MIB, ge=1024)
    upload_request_bytes: int = Field(200 * MIB, ge=1024)
    upload_files: int = Field(20, ge=1, le=1000)
    pending_jobs_per_org: int = Field(10_000, ge=1)
    reads_per_minute: int = Field(120, ge=1)
    writes_per_minute: int = Field(30, ge=1)
    chats_per_minute: int = Field(20, ge=1)
    key_reads_per_minute: int = Field(6000, ge=1)
    key_writes_per_minute: int = Field(600, ge=1)
    key_chats_per_minute: int = Field(300, ge=1)
    logins_per_15_minutes: int = Field(5, ge=1)
    message_characters: int = Field(8000, ge=1)
    text_characters: int = Field(2_000_000, ge=1)


class WorkerSettings(Section):
    lease_seconds: float = Field(60, gt=1)
    heartbeat_seconds: float = Field(10, gt=0.1)
    poll_seconds: float = Field(0.5, gt=0.01)
    concurrency: int = Field(2, ge=1, le=32)
    kept_versions: int = Field(3, ge=1)
    parse_memory_bytes: int = Field(2 * 1024 * MIB, ge=256 * MIB)
    parse_cpu_seconds: int = Field(120, ge=1)
    parse_wall_seconds: int = Field(180, ge=1)
    parse_slice_pages: int = Field(100, ge=1)

    @model_validator(mode="after")
    def _heartbeat_within_lease(self) -> WorkerSettings:
        if self.heartbeat_seconds * 2 > self.lease_seconds:
            raise ValueError("heartbeat_seconds must be at most half of lease_seconds")
        return self


class SecuritySettings(Section):
    """Keys that `up` makes up at its first start. `signing_key` is an Ed25519 private key in PEM or, on a single
    machine, a secret of at least 32 bytes."""

    signing_key: SecretStr | None = None
    encryption_key: SecretStr | None = None
    access_minutes: int = Field(10, ge=1, le=60)
    refresh_days: int = Field(14, ge=1, le=90)
    refresh_grace_seconds: int = Field(20, ge=0, le=120)
    cookie_secure: bool = False
    allowed_origins: tuple[str, ...] = ()
    admin_email: str = "admin@matrix.local"
    admin_password: SecretStr | None = None


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="MATRIX_",
        env_nested_delimiter="__",
        env_file=ENV_FILE,
        env_ignore_empty=True,  # a line of .env.example without a value means the default
        frozen=True,
        extra="ignore",
    )

    data_dir: Path = Path(".matrix")
    host: str = "127.0.0.1"
    port: int = Field(8080, ge=0, le=65535)
    environment: Literal["development", "production"] = "development"
    public_url: str | None = None
    organization: str = "default"
    java_home: Path | None = Field(None, validation_alias=AliasChoices("MATRIX_JAVA_HOME", "JAVA_HOME"))
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    blob_url: str | None = None
    allowed_private_hosts: tuple[str, ...] = ()
    neo4j: Neo4jSettings = Neo4jSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    gemini: GeminiSettings = GeminiSettings()
    openai: OpenAISettings = OpenAISettings()
    limits: LimitSettings = LimitSettings()
    worker: WorkerSettings = WorkerSettings()
    security: SecuritySettings = SecuritySettings()


def read_settings(**overrides: object) -> Settings:
    """The settings of this process: `overrides`, then the environment, then `.env`, then defaults."""
    try:
        return Settings(**_with_shared_names(overrides))  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = _name_of(tuple(str(part) for part in first["loc"]))
        raise InvalidSettings(
            f"The setting {name} is wrong: {first['msg'].removeprefix('Value error, ')}.", field=name
        ) from None
    except SettingsError as error:  # a list or section that is no JSON
        found = re.search(r'field "(\w+)"', str(error))
        name = f"MATRIX_{found[1]}".upper() if found else "MATRIX_…"
        raise InvalidSettings(
            f'The setting {name} is wrong: lists are written as JSON, ["one", "two"].', field=name
        ) from None


def unknown_variables() -> tuple[str, ...]:
    """Variables that begin with MATRIX_ and mean nothing: mistyped ones."""
    known = {name.upper() for name in (*Settings.model_fields, *CLIENT_NAMES)}
    given = (name for name in {**dotenv_values(ENV_FILE), **os.environ} if name.startswith("MATRIX_"))
    return tuple(
        sorted(
            name
            for name in given
            if name.removeprefix("MATRIX_").split("__")[0] not in known and not name.startswith("MATRIX_TEST_")
        )
    )


def _name_of(place: tuple[str, ...]) -> str:
    """The variable that a person set: what pydantic calls `neo4j.uri`, or by its alias."""
    name = "__".join(place).upper()
    return name if name.startswith("MATRIX_") else f"MATRIX_{name}"


def _with_shared_names(overrides: dict[str, object]) -> dict[str, object]:
    values: dict[str, object] = dict(overrides)
    environment = {**dotenv_values(ENV_FILE), **os.environ}
    for name, (section, field) in SHARED_NAMES.items():
        given = environment.get(name)
        if given and not environment.get(f"MATRIX_{section}__{field}".upper()):
            nested = dict(values.get(section, {}))  # type: ignore[call-overload]  # sections are mappings here
            nested.setdefault(field, given)
            values[section] = nested
    return values
