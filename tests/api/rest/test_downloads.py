"""Signed links: for ten minutes, worth as much as the credential that asked, as long as that one stands and may see the
document."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from matrix.api.auth.services import link_key
from matrix.api.signed_links import LINK_SECONDS, LinkSigner
from tests.support.tenants import Api, Tenant, new_tenant

pytestmark = pytest.mark.feature("B14")
CONTENT = "# Überblick\n\nThirty days of leave."


@pytest.fixture
async def document(tenant: Tenant, corpus: str) -> str:
    return await tenant.editor.ingest(corpus, "folder/Überblick 1.md", CONTENT)


async def link_for(api: Api, document: str) -> str:
    answer = await api.call("GET", f"documents/{document}/download")
    assert answer.status_code == 307 and answer.headers["location"] == answer.json()["url"]
    return str(answer.json()["url"])


def without_credentials(tenant: Tenant) -> Api:
    return Api(tenant.deployment, tenant.slug, {})


async def test_a_link_gives_the_original(tenant: Tenant, document: str) -> None:
    link = await link_for(tenant.viewer, document)
    answer = await without_credentials(tenant).call("GET", link)
    assert answer.status_code == 200 and answer.text == CONTENT
    headers = answer.headers
    assert headers["content-disposition"] == f"attachment; filename*=UTF-8''{quote('Überblick 1.md', safe='')}"
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert headers["content-length"] == str(len(CONTENT.encode())) and headers["cache-control"] == "no-store"


async def test_without_credentials_there_is_no_link(tenant: Tenant, document: str) -> None:
    await without_credentials(tenant).refused("GET", f"documents/{document}/download", 401, "not_authenticated")


async def test_forged_links(tenant: Tenant, document: str, corpus: str) -> None:
    link = await link_for(tenant.viewer, document)
    other = await tenant.editor.ingest(corpus, "other.txt", "Other.")
    query = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    path = urlsplit(link).path
    named = f"holder={quote(query['holder'], safe='')}"
    forged = [
        link.replace(document, other),
        link.replace(named, "holder=PERSON%3Aelse"),
        link.replace(named, "holder="),
        link.replace(f"expires={query['expires']}", f"expires={int(query['expires']) + 600}"),
        link.replace(query["signature"], "0" * len(query["signature"])),
        link.replace(query["signature"], "é"),
        f"{path}?{named}&expires={query['expires']}&signature=",
    ]
    for url in forged:
        assert url != link
        await without_credentials(tenant).refused("GET", url, 401, "bad_link")


async def test_a_link_expires(tenant: Tenant, document: str) -> None:
    mine = parse_qs(urlsplit(await link_for(tenant.viewer, document)).query)["holder"][0]
    settings = tenant.deployment.services.settings
    path = f"/api/orgs/{tenant.slug}/documents/{document}/download"

    def signed(age: float) -> str:
        return LinkSigner(link_key(settings), lambda: time.time() - age).sign("GET", path, mine).url

    assert (await without_credentials(tenant).call("GET", signed(LINK_SECONDS - 60))).status_code == 200
    await without_credentials(tenant).refused("GET", signed(LINK_SECONDS + 1), 401, "link_expired")


async def test_a_link_ends_with_the_membership(tenant: Tenant, document: str) -> None:
    gone = await tenant.another("VIEWER")
    link = await link_for(gone, document)
    me = (await gone.ok("GET", "/api/auth/me"))["user"]["id"]
    await tenant.admin.ok("PATCH", f"users/{me}", json={"properties": {"suspended": True}})
    await without_credentials(tenant).refused("GET", link, 401, "suspended")
    await tenant.admin.ok("PATCH", f"users/{me}", json={"properties": {"suspended": False}})
    assert (await without_credentials(tenant).call("GET", link)).status_code == 200
    await tenant.admin.ok("DELETE", f"users/{me}", 204)
    await without_credentials(tenant).refused("GET", link, 404, "not_found")


async def test_a_link_ends_with_the_sign_in(tenant: Tenant, document: str) -> None:
    person = await tenant.another("VIEWER")
    link = await link_for(person, document)
    await person.ok("POST", "/api/auth/logout", 204)
    await without_credentials(tenant).refused("GET", link, 401)


async def key_of(person: Api, role: str) -> tuple[str, Api]:
    made = await person.create("api-keys", name="Script", role=role)
    return made["id"], Api(person.deployment, person.slug, {"Authorization": f"Bearer {made['secret']}"})


async def test_a_link_of_a_key_ends_with_the_key(tenant: Tenant, document: str) -> None:
    key_id, key = await key_of(tenant.owner, "VIEWER")
    link = await link_for(key, document)
    assert (await without_credentials(tenant).call("GET", link)).status_code == 200
    await tenant.owner.ok("DELETE", f"api-keys/{key_id}", 204)
    await without_credentials(tenant).refused("GET", link, 401, "not_authenticated")


async def test_a_link_of_a_key_ends_with_its_creator(tenant: Tenant, document: str) -> None:
    person = await tenant.another("EDITOR")
    _, key = await key_of(person, "EDITOR")
    link = await link_for(key, document)
    me = (await person.ok("GET", "/api/auth/me"))["user"]["id"]
    await tenant.admin.ok("PATCH", f"users/{me}", json={"properties": {"suspended": True}})
    await without_credentials(tenant).refused("GET", link, 401)


async def test_an_upload_link_acts_with_the_role_of_the_key_alone(tenant: Tenant, corpus: str) -> None:
    """However it came to be signed: the role is looked up when the link is used."""
    signer = LinkSigner(link_key(tenant.deployment.services.settings))
    corpus_id = (await tenant.viewer.ok("GET", f"knowledge/{corpus}"))["id"]
    path = f"/api/orgs/{tenant.slug}/knowledge/{corpus_id}/files"
    files = {"files": [("file", ("a.txt", b"Words."))]}
    for role, status in (("VIEWER", 403), ("EDITOR", 202)):
        key_id, _ = await key_of(tenant.owner, role)
        link = signer.sign("POST", path, f"API_KEY:{key_id}").url
        answer = await without_credentials(tenant).call("POST", link, **files)
        assert answer.status_code == status, answer.text


async def test_a_key_opens_no_other_organization_by_link(tenant: Tenant, document: str) -> None:
    other = await new_tenant(tenant.deployment, "stranger")
    key_id, _ = await key_of(other.owner, "OWNER")
    signer = LinkSigner(link_key(tenant.deployment.services.settings))
    link = signer.sign("GET", f"/api/orgs/{tenant.slug}/documents/{document}/download", f"API_KEY:{key_id}").url
    await without_credentials(tenant).refused("GET", link, 404, "not_found")


async def test_a_link_ends_with_the_audience_and_the_document(tenant: Tenant, document: str) -> None:
    link = await link_for(tenant.viewer, document)
    editor = await tenant.user_id("EDITOR")
    await tenant.editor.ok("PUT", f"documents/{document}/audience", json={"users": [editor]})
    await without_credentials(tenant).refused("GET", link, 404, "not_found")
    await tenant.editor.ok("PUT", f"documents/{document}/audience", json={"everyone": True})
    assert (await without_credentials(tenant).call("GET", link)).status_code == 200
    await tenant.editor.ok("DELETE", f"documents/{document}", 202)
    await without_credentials(tenant).refused("GET", link, 404, "not_found")


async def test_a_link_of_another_organization(tenant: Tenant, document: str) -> None:
    other = await new_tenant(tenant.deployment, "other")
    await other.owner.refused("GET", f"/api/orgs/{tenant.slug}/documents/{document}/download", 404, "not_found")
    await other.owner.refused("GET", f"documents/{document}/download", 404, "not_found")


async def test_an_original_that_is_gone_is_told_before_anything_is_sent(tenant: Tenant, document: str) -> None:
    link = await link_for(tenant.viewer, document)
    blobs = tenant.deployment.services.blobs
    [key] = [key for key in await blobs.list_prefix("") if f"/{document}/" in key and not key.endswith(".json")][:1]
    await blobs.delete_prefix(f"{key.rpartition('/')[0]}/")
    await without_credentials(tenant).refused("GET", link, 404, "original_gone")
