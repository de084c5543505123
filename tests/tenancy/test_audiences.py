"""Who is outside a document's audience finds no passage, no document, no hint; sharing and unsharing act at once."""

from __future__ import annotations

import pytest

from matrix.api.auth.principal import principal_of_token
from matrix.domain.ids import new_id
from tests.support.application import Deployment
from tests.support.snapshot import changes, snapshot
from tests.support.stock import ABSENT, Stock
from tests.support.tenants import Api, Json, Tenant
from tests.wire_servers.script import Reply

pytestmark = pytest.mark.feature("C7", "H2")
WORD = "quasar"


class Shared:
    """A corpus with a document for a team of one editor, and one for everybody."""

    def __init__(self, tenant: Tenant, corpus: str, hidden: str, shown: str, chunk: str, team: str) -> None:
        self.tenant, self.corpus, self.hidden, self.shown, self.chunk = tenant, corpus, hidden, shown, chunk
        self.team = team
        self.inside = tenant.editor

    @property
    def outsiders(self) -> dict[str, Api]:
        return {role: self.tenant.as_(role) for role in ("VIEWER", "ADMIN", "OWNER")}


@pytest.fixture(scope="module")
async def shared(ours: Stock) -> Shared:
    tenant = ours.tenant
    editor = await tenant.user_id("EDITOR")
    team = (await tenant.admin.create("teams", name="Astronomers", members=[editor]))["id"]
    corpus = (await tenant.editor.create("knowledge", name="Stars", key=f"stars-{new_id()[-8:]}"))["key"]
    shown = await tenant.editor.ingest(corpus, "open.md", "Everybody may read of the moon.")
    hidden = await tenant.editor.ingest(corpus, "hidden.md", f"The {WORD} is kept for the few.")
    await tenant.editor.ok("PUT", f"documents/{hidden}/audience", json={"teams": [team]})
    [chunk] = await tenant.editor.items(f"chunks?document={hidden}")
    return Shared(tenant, corpus, hidden, shown, chunk["id"], team)


async def test_inside_everything_is_there(shared: Shared) -> None:
    hits = await shared.inside.search(shared.corpus, WORD)
    assert hits[0]["documentId"] == shared.hidden
    await shared.inside.ok("GET", f"documents/{shared.hidden}")
    await shared.inside.ok("GET", f"chunks/{shared.chunk}")
    names = [item["properties"]["name"] for item in await shared.inside.items(f"documents?knowledge={shared.corpus}")]
    assert set(names) == {"open.md", "hidden.md"}


@pytest.mark.parametrize("mode", ["DENSE", "HYBRID"])
async def test_outside_no_search_finds_it(shared: Shared, mode: str) -> None:
    for who, api in shared.outsiders.items():
        path = f"knowledge/{shared.corpus}/search"
        found = await api.ok("POST", path, json={"query": WORD, "mode": mode, "explain": True, "topK": 50})
        assert [hit["documentId"] for hit in found["hits"]] in ([shared.shown], []), who
        assert found["explanation"]["denseCandidates"] <= 1 and found["explanation"]["keywordCandidates"] == 0
        aimed = {"query": WORD, "mode": mode, "filters": {"documents": [shared.hidden]}, "explain": True}
        answer = await api.ok("POST", path, json=aimed)
        absent = await api.ok("POST", path, json={**aimed, "filters": {"documents": [ABSENT]}})
        assert answer == absent and answer["hits"] == []


async def test_outside_it_is_absent(deployment: Deployment, shared: Shared) -> None:
    before = await snapshot(deployment.database)
    calls: list[tuple[str, str, Json]] = [
        ("GET", "documents/{}", {}),
        ("GET", "documents/{}/text", {}),
        ("GET", "documents/{}/download", {}),
        ("PATCH", "documents/{}", {"json": {"properties": {"name": "mine.md"}}}),
        ("PUT", "documents/{}/audience", {"json": {"everyone": True}}),
        ("POST", "documents/{}/retry", {}),
        ("POST", "documents/{}/reprocess", {}),
        ("POST", "documents/{}/cancel", {}),
        ("DELETE", "documents/{}", {}),
        ("DELETE", "documents/{}?dryRun=true", {}),
    ]
    for who, api in shared.outsiders.items():
        for method, path, options in calls:
            got = await api.call(method, path.format(shared.hidden), **options)
            nothing = await api.call(method, path.format(ABSENT), **options)
            assert got.status_code == nothing.status_code == 404, (who, method, path, got.text)
            assert got.text.replace(shared.hidden, "…") == nothing.text.replace(ABSENT, "…")
        await api.refused("GET", f"chunks/{shared.chunk}", 404, "not_found")
    assert not changes(before, await snapshot(deployment.database))


async def test_outside_no_list_holds_it(shared: Shared) -> None:
    for who, api in shared.outsiders.items():
        for path in (
            "documents?limit=100",
            f"documents?knowledge={shared.corpus}",
            "documents?q=hidden",
            "chunks?limit=100",
            f"chunks?document={shared.hidden}",
            f"chunks?knowledge={shared.corpus}",
            f"chunks?q={WORD}",
            "jobs?limit=100",
            f"jobs?document={shared.hidden}",
        ):
            text = (await api.call("GET", path)).text
            assert shared.hidden not in text and shared.chunk not in text and WORD not in text, (who, path)


async def test_outside_no_answer_rests_on_it(deployment: Deployment, shared: Shared) -> None:
    for api in shared.outsiders.values():
        deployment.model.script(Reply(f"ANSWERABLE: yes\nThe {WORD} is kept for the few [1]."))
        body = {"message": f"Who is the {WORD} kept for?"}
        answer = await api.ok("POST", f"knowledge/{shared.corpus}/chat", json=body)
        assert shared.hidden not in str(answer)
        told = [m.tool_result.content for m in deployment.model.requests[-1].messages if m.tool_result]
        assert told and WORD not in str(told)


async def test_a_name_that_is_taken_by_a_hidden_document_is_not_told(deployment: Deployment, shared: Shared) -> None:
    """An outsider with the same name may neither change the hidden document nor read it."""
    before = await shared.inside.ok("GET", f"documents/{shared.hidden}")
    [entry] = await shared.tenant.owner.send(shared.corpus, [("hidden.md", b"Other words under the same name.")])
    await deployment.work_off()
    assert entry["id"] != shared.hidden
    after = await shared.inside.ok("GET", f"documents/{shared.hidden}")
    assert (after["properties"]["version"], after["properties"]["sha256"]) == (
        before["properties"]["version"],
        before["properties"]["sha256"],
    )


async def test_widening_and_tightening_act_at_once(shared: Shared) -> None:
    viewer, path = shared.tenant.viewer, f"documents/{shared.hidden}/audience"

    async def finds(api: Api) -> list[bool]:
        return [
            shared.hidden in [hit["documentId"] for hit in await api.search(shared.corpus, WORD, mode=mode)]
            for mode in ("DENSE", "HYBRID")
        ]

    assert await finds(viewer) == [False, False]
    me = await shared.tenant.user_id("VIEWER")
    await shared.inside.ok("PUT", path, json={"teams": [shared.team], "users": [me]})
    assert await finds(viewer) == [True, True]
    await shared.inside.ok("PUT", path, json={"teams": [shared.team]})
    assert await finds(viewer) == [False, False]
    team = f"teams/{shared.team}"
    editor = await shared.tenant.user_id("EDITOR")
    await shared.tenant.admin.ok("PATCH", team, json={"properties": {"members": [editor, me]}})
    assert await finds(viewer) == [True, True]
    await shared.tenant.admin.ok("PATCH", team, json={"properties": {"members": [editor]}})
    assert await finds(viewer) == [False, False]
    assert await finds(shared.inside) == [True, True]


@pytest.mark.parametrize(
    "body", [{}, {"everyone": False}, {"everyone": True, "teams": ["x"]}, {"teams": "x"}, {"teams": [ABSENT]}]
)
async def test_audiences_that_are_none(shared: Shared, body: dict[str, object]) -> None:
    problem = await shared.inside.refused("PUT", f"documents/{shared.hidden}/audience", 422, json=body)
    assert problem["field"]


async def test_citations_of_what_one_may_no_longer_see_keep_no_quote(deployment: Deployment, ours: Stock) -> None:
    """The history that a model gets back, too, holds no words of it but the answer that the person was given."""
    tenant = ours.tenant
    corpus = (await tenant.editor.create("knowledge", name="Passing", key=f"passing-{new_id()[-8:]}"))["key"]
    document = await tenant.editor.ingest(corpus, "a.md", f"The {WORD} is far away.")
    deployment.model.script(Reply(f"ANSWERABLE: yes\nThe {WORD} is far away [1]."))
    answer = await tenant.viewer.ok("POST", f"knowledge/{corpus}/chat", json={"message": f"Where is the {WORD}?"})
    assert answer["citations"][0]["quote"]
    editor = await tenant.user_id("EDITOR")
    await tenant.editor.ok("PUT", f"documents/{document}/audience", json={"users": [editor]})
    token = tenant.viewer.headers["Authorization"].removeprefix("Bearer ")
    viewer = await principal_of_token(deployment.app.state.access, token)
    scope = await deployment.services.stores.access.access.scope_for(viewer, tenant.slug)
    history = await deployment.services.stores.sessions.history(scope, answer["sessionId"], 10)
    [citation] = history[-1].citations
    assert (citation.state, citation.quote) == ("DELETED", "")


async def test_a_team_that_alone_sees_a_document_is_not_deleted(shared: Shared) -> None:
    problem = await shared.tenant.admin.refused("DELETE", f"teams/{shared.team}", 409, "conflict")
    assert "this team alone (1)" in problem["detail"] and problem["advice"]
    assert (await shared.inside.ok("GET", f"documents/{shared.hidden}"))["id"] == shared.hidden
    spare = (await shared.tenant.admin.create("teams", name="Spare"))["id"]
    await shared.inside.ok("PUT", f"documents/{shared.shown}/audience", json={"teams": [spare, shared.team]})
    await shared.inside.ok("PUT", f"documents/{shared.shown}/audience", json={"everyone": True})
    await shared.tenant.admin.ok("DELETE", f"teams/{spare}", 204)
