"""Who looks at a page: somebody with a live session, or nobody yet."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from app.api.services import services_of
from app.database.sessions import find_session
from app.domain.principal import Owner, Principal
from app.web.cookies import cookie_of


class SignInNeeded(Exception):
    """The page is for somebody who has signed in."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who has signed in, and what their forms must bring."""

    principal: Principal
    form_token: str
    secret: str

    @property
    def owner(self) -> Owner:
        """Whose exports they see."""
        return self.principal.owner


async def visitor_of(request: Request) -> Visitor:
    """Who has signed in; raises `SignInNeeded`."""
    found = await possible_visitor_of(request)
    if found is None:
        raise SignInNeeded
    return found


async def possible_visitor_of(request: Request) -> Visitor | None:
    """Who has signed in, if anybody."""
    secret = cookie_of(request)
    if secret is None:
        return None
    async with services_of(request).database.reading() as tx:
        principal = await tx.run_sync(find_session, secret)
    return None if principal is None else Visitor(principal, form_token_of(secret), secret)


VisitorDependency = Annotated[Visitor, Depends(visitor_of)]


def form_token_of(secret: str) -> str:
    """What the forms of a browser with this cookie carry; neither can be told without the cookie."""
    return hmac.digest(secret.encode(), b"form", hashlib.sha256).hex()
