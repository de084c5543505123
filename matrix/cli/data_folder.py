"""The files that Matrix keeps beside its data: secrets that the first start made up, and what runs now."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import SecretStr

from matrix.domain.accounts import new_api_key_secret
from matrix.errors import InvalidSettings
from matrix.settings import Settings


@dataclass(frozen=True, slots=True)
class Secrets:
    """What a fresh installation needs and nobody should have to invent."""

    signing_key: str
    encryption_key: str
    neo4j_password: str
    admin_password: str
    api_key: str


@dataclass(frozen=True, slots=True)
class Neo4jRun:
    bolt: str
    browser: str | None
    user: str
    password: str


@dataclass(frozen=True, slots=True)
class Run:
    """A running Matrix: where it is and how to get in."""

    pid: int
    url: str
    graphql: str
    admin: str
    org: str
    api_key: str
    admin_email: str
    admin_password: str | None
    neo4j: Neo4jRun


def ensure_secrets(data_dir: Path) -> Secrets:
    """The secrets of this folder, made up at the first call. Errors: InvalidSettings when the file is damaged."""
    path = data_dir / "secrets.json"
    if not path.exists():
        write_private(path, json.dumps(asdict(_new_secrets()), indent=2))
    try:
        return Secrets(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InvalidSettings(
            f"{path} is damaged: {error}.",
            field="MATRIX_DATA_DIR",
            advice="Restore it from a backup; the data needs it.",
        ) from None


def read_secrets(data_dir: Path) -> Secrets | None:
    return ensure_secrets(data_dir) if (data_dir / "secrets.json").exists() else None


def with_secrets(settings: Settings, kept: Secrets) -> Settings:
    """Settings whose missing secrets are those of the data folder."""
    security = settings.security
    filled = security.model_copy(
        update={
            "signing_key": security.signing_key or SecretStr(kept.signing_key),
            "encryption_key": security.encryption_key or SecretStr(kept.encryption_key),
            "admin_password": security.admin_password or SecretStr(kept.admin_password),
        }
    )
    return settings.model_copy(update={"security": filled})


def with_database(settings: Settings, neo4j: Neo4jRun) -> Settings:
    """Settings that name the embedded database, unless they name another."""
    if settings.neo4j.uri:
        return settings
    named = {"uri": neo4j.bolt, "username": neo4j.user, "password": SecretStr(neo4j.password)}
    return settings.model_copy(update={"neo4j": settings.neo4j.model_copy(update=named)})


def read_run(data_dir: Path) -> Run | None:
    """What runs in this folder, or None. A file left by a killed process does not count."""
    try:
        raw = json.loads((data_dir / "run.json").read_text(encoding="utf-8"))
        neo4j = Neo4jRun(**raw["neo4j"])
        run = Run(
            pid=raw["pid"],
            url=raw["url"],
            graphql=raw["graphql"],
            admin=raw["admin"],
            org=raw["org"],
            api_key=raw["apiKey"],
            admin_email=raw["adminEmail"],
            admin_password=raw["adminPassword"],
            neo4j=neo4j,
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return run if is_alive(run.pid) else None


def write_run(data_dir: Path, run: Run) -> None:
    body = {
        "pid": run.pid,
        "url": run.url,
        "graphql": run.graphql,
        "admin": run.admin,
        "org": run.org,
        "apiKey": run.api_key,
        "adminEmail": run.admin_email,
        "adminPassword": run.admin_password,
        "neo4j": asdict(run.neo4j),
    }
    write_private(data_dir / "run.json", json.dumps(body, indent=2))


def remove_run(data_dir: Path) -> None:
    (data_dir / "run.json").unlink(missing_ok=True)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    Path(temporary).replace(path)


def _new_secrets() -> Secrets:
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return Secrets(
        signing_key=pem,
        encryption_key=secrets.token_urlsafe(32),
        neo4j_password=secrets.token_urlsafe(18),
        admin_password=secrets.token_urlsafe(12),
        api_key=new_api_key_secret(),
    )
