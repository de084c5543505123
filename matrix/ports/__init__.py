"""Every port: what the services need from the outside, as protocols. Implementations: `matrix.graph` for the stores,
`matrix.plugins` for the rest; fakes pass the same contract tests."""

from matrix.ports.access import (
    AccessStore,
    AccessStores,
    ApiKeyStore,
    LinkStore,
    OrganizationStore,
    SignInStore,
    UserStore,
)
from matrix.ports.content import (
    DeletionStore,
    DocumentStore,
    EntityStore,
    EntityTypeStore,
    JobQueue,
    KeywordIndex,
    KnowledgeVectorStore,
    VersionStore,
)
from matrix.ports.conversation import AgentStore, MemoryStore, SessionStore
from matrix.ports.plugins import (
    BlobStore,
    Embedder,
    LanguageModel,
    LanguageModels,
    ParseProgress,
    Parser,
    Passwords,
    SecretBox,
)

__all__ = [
    "AccessStore",
    "AccessStores",
    "AgentStore",
    "ApiKeyStore",
    "BlobStore",
    "DeletionStore",
    "DocumentStore",
    "Embedder",
    "EntityStore",
    "EntityTypeStore",
    "JobQueue",
    "KeywordIndex",
    "KnowledgeVectorStore",
    "LanguageModel",
    "LanguageModels",
    "LinkStore",
    "MemoryStore",
    "OrganizationStore",
    "ParseProgress",
    "Parser",
    "Passwords",
    "SecretBox",
    "SessionStore",
    "SignInStore",
    "UserStore",
    "VersionStore",
]
