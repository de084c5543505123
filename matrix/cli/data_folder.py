"""What the first start made up and keeps beside the data, and settings completed by it. What runs now: `run_file`."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import SecretStr

from matrix.cli.private_file import cannot_write, write_private
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


def ensure_secrets(data_dir: Path) -> Secrets:
    """The secrets of this folder, made up at the first call. Errors: InvalidSettings (damaged), CannotWrite."""
    path = data_dir / "secrets.json"
    if not path.exists():
        write_private(path, json.dumps(asdict(_new_secrets()), indent=2))
    try:
        return Secrets(**json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise cannot_write(path, error) from None
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


def _new_secrets() -> Secrets:
    # loaded for the first start alone: commands that ask a running Matrix need none of it
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return Secrets(
        signing_key=pem,
        encryption_key=secrets.token_urlsafe(32),
        neo4j_password=secrets.token_urlsafe(18),
        admin_password=secrets.token_urlsafe(12),
        api_key=new_api_key_secret(),
    )
