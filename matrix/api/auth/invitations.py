"""One-time links: a teammate's invitation and a password reset. No mail is sent; whoever made the link hands it on."""

from __future__ import annotations

from matrix.api.auth.services import DAY, AccessServices
from matrix.api.auth.sign_in import prove_password
from matrix.domain.access import Principal, Role, Scope
from matrix.domain.accounts import (
    LinkKind,
    OneTimeLink,
    SignIn,
    check_email,
    check_password,
    new_link_token,
    secret_hash,
)
from matrix.domain.names import check_name
from matrix.errors import NotFound

INVITATION_SECONDS = 7 * DAY
RESET_SECONDS = DAY
# The token stands behind `#`, which browsers keep to themselves: it reaches no access log and no referrer.
PAGES = {LinkKind.INVITATION: "/admin/accept#token=", LinkKind.RESET: "/admin/reset#token="}


async def invite(access: AccessServices, scope: Scope, email: str, role: Role) -> tuple[OneTimeLink, str]:
    """An invitation and its token, which is known only now."""
    token = new_link_token()
    links = access.stores.links
    return await links.invite(scope, check_email(email), role, secret_hash(token), INVITATION_SECONDS), token


async def offer_reset(
    access: AccessServices, scope: Scope, caller: Principal, id_or_email: str
) -> tuple[OneTimeLink, str]:
    """A password reset and its token."""
    token = new_link_token()
    links = access.stores.links
    return await links.offer_reset(scope, caller, id_or_email, secret_hash(token), RESET_SECONDS), token


async def accept(access: AccessServices, token: str, name: str | None, password: str, address: str) -> SignIn:
    """Uses an invitation and signs in. A new person sets a password; one who has an account proves it with theirs.

    Errors: NotFound (the link), InvalidInput (name or password), NotAuthenticated, TooManyRequests.
    """
    hashed = secret_hash(token)
    link = await access.stores.links.opened(hashed)
    if link.kind is not LinkKind.INVITATION:
        raise NotFound("This link resets a password.", advice="Send it to /api/auth/password.")
    if await access.stores.users.account(link.email) is None:
        user_id = await _join_anew(access, hashed, check_name(name or link.email.partition("@")[0]), password)
    else:
        await prove_password(access, link.email, password, address)
        user_id = await access.stores.links.join(hashed, "", None)
    return await access.stores.sign_ins.start(user_id, access.refresh_seconds)


async def reset_password(access: AccessServices, token: str, password: str) -> None:
    """Uses a reset link; all sign-ins of the person end. Errors: NotFound (the link), InvalidInput."""
    check_password(password, "newPassword")
    hashed = secret_hash(token)
    await access.stores.links.opened(hashed)  # no hashing for links that are not good
    await access.stores.links.reset(hashed, await access.passwords.hash(password))


def link_url(access: AccessServices, link: OneTimeLink, token: str, own_address: str) -> str:
    """The address to hand on: of the admin UI, at `public_url` or where the request came to."""
    return (access.public_url or own_address).rstrip("/") + PAGES[link.kind] + token


async def _join_anew(access: AccessServices, hashed: str, name: str, password: str) -> str:
    check_password(password)
    return await access.stores.links.join(hashed, name, await access.passwords.hash(password))
