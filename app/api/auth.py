"""From a bearer token to a principal. Everything but the probes goes through here."""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.api.problems import ProblemError
from app.api.services import services_of
from app.database.stores import authenticate
from app.domain.codes import Problem
from app.domain.principal import Principal, Right

_MAX_TOKEN = 200
"""Characters of the longest text that is looked up; ours are 49."""

_bearer = HTTPBearer(auto_error=False, description="A token from `sheaf tokens create`.")


async def token_of(credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> str:
    """The token that was brought, not yet looked up; raises the problem `unauthenticated`."""
    if credentials is None or len(credentials.credentials) > _MAX_TOKEN:
        raise unauthenticated()
    return credentials.credentials


TokenDependency = Annotated[str, Depends(token_of)]
"""For a route that looks the token up itself, together with what it reads."""


async def principal_of(request: Request, token: TokenDependency) -> Principal:
    """Who asks; raises the problem `unauthenticated` without saying what is wrong with the token."""
    async with services_of(request).database.reading() as tx:
        principal = await tx.run_sync(authenticate, token)
    if principal is None:
        raise unauthenticated()
    return principal


PrincipalDependency = Annotated[Principal, Depends(principal_of)]


def require(principal: Principal, right: Right) -> None:
    """Raise the problem `right_missing` unless the principal holds the right."""
    if not principal.may(right):
        raise ProblemError(Problem.RIGHT_MISSING, f"This token lacks the right `{right}`.")


def unauthenticated() -> ProblemError:
    """No token, or none that lives."""
    return ProblemError(Problem.UNAUTHENTICATED, headers={"WWW-Authenticate": "Bearer"})
