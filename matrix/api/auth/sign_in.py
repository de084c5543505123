"""Signing in, staying signed in, and changing one's password. How tokens reach the client is in the routes."""

from __future__ import annotations

from matrix.api.auth.services import AccessServices
from matrix.domain.access import CredentialKind, Principal
from matrix.domain.accounts import Account, SignIn, check_email, check_password
from matrix.errors import InvalidInput, NotAllowed, NotAuthenticated


async def sign_in(access: AccessServices, email: str, password: str, address: str) -> SignIn:
    """A new sign-in. Errors: NotAuthenticated (the same for an unknown address and a wrong password, in the same
    time; or suspended), TooManyRequests."""
    account = await prove_password(access, check_email(email), password, address)
    if account.suspended:
        raise NotAuthenticated("This account is suspended.", code="suspended")
    return await access.stores.sign_ins.start(account.id, access.refresh_seconds)


async def prove_password(access: AccessServices, email: str, password: str, address: str) -> Account:
    """The account whose password this is. Errors as in `sign_in`."""
    await access.login_rates.attempt(email, address)
    account = await access.stores.users.account(email)
    stored = account.password_hash if account else None
    right = await access.passwords.verify(password, stored)
    if account is None or stored is None or not right:
        await access.login_rates.failed(address)
        raise NotAuthenticated(
            "The e-mail address or the password is wrong.",
            code="wrong_credentials",
            advice="Try again, or ask an administrator of your organization to reset the password.",
        )
    await access.login_rates.succeeded(email, address)
    if access.passwords.outdated(stored):
        await access.stores.users.upgrade_password_hash(account.id, await access.passwords.hash(password))
    return account


async def refresh(access: AccessServices, token: str) -> SignIn:
    """The next refresh token of a sign-in. Errors: NotAuthenticated (not valid, over, reused, or suspended)."""
    sign_in_id, generation = access.tokens.read_refresh_token(token)
    grace = access.security.refresh_grace_seconds
    following = await access.stores.sign_ins.rotate(sign_in_id, generation, grace, access.refresh_seconds)
    await access.stores.sign_ins.principal(sign_in_id)
    return following


async def sign_out(access: AccessServices, refresh_token: str) -> None:
    """Ends the sign-in of a refresh token; nothing happens where it is over. Errors: NotAuthenticated (forged)."""
    sign_in_id, _ = access.tokens.read_refresh_token(refresh_token)
    await access.stores.sign_ins.end(sign_in_id)


async def change_password(access: AccessServices, principal: Principal, current: str, new: str, address: str) -> None:
    """Another password for the person signed in; their other sign-ins end.

    Errors: NotAllowed (an API key), InvalidInput (the current one is wrong, or the new one too short), TooManyRequests.
    """
    if principal.kind is not CredentialKind.PERSON:
        raise NotAllowed("An API key cannot change a password.", advice="Sign in with the password itself.")
    check_password(new, "newPassword")
    try:
        await prove_password(access, principal.email, current, address)
    except NotAuthenticated:
        raise InvalidInput("The current password is wrong.", field="currentPassword") from None
    hashed = await access.passwords.hash(new)
    await access.stores.users.set_password(principal.user_id, hashed, keep_sign_in=principal.session_id)
