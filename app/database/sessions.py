"""Sign-ins to the console: each stands for a live token, and is kept as the hash of its cookie alone."""

import hmac
import secrets

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.database.clock import now, seconds_from_now
from app.database.stores import digest_of, find_live_token, live_tokens, principal_of
from app.database.tables import SessionRow, TokenRow
from app.domain.principal import Owner, Principal


def begin_session(tx: Session, token: str, *, seconds: float) -> str | None:
    """Sign in with a token for so long: the cookie's text, which is known only now; None if the token is not live.

    What has expired is forgotten here, so that it needs no sweeping.
    """
    found = find_live_token(tx, token)
    if found is None:
        return None
    row, _store = found
    tx.execute(delete(SessionRow).where(SessionRow.expires_at < now()))
    secret = secrets.token_urlsafe(32)
    tx.add(SessionRow(digest=digest_of(secret), token_id=row.id, expires_at=seconds_from_now(seconds)))
    tx.flush()
    return secret


def find_session(tx: Session, secret: str) -> Principal | None:
    """Whom a session's cookie stands for, while both it and its token live."""
    digest = digest_of(secret)
    found = tx.execute(
        live_tokens()
        .join(SessionRow, SessionRow.token_id == TokenRow.id)
        .add_columns(SessionRow.digest)
        .where(SessionRow.digest == digest, SessionRow.expires_at > now())
    ).one_or_none()
    if found is None or not hmac.compare_digest(found[2], digest):
        return None
    return principal_of(found[0], found[1])


def end_session(tx: Session, secret: str) -> None:
    """Sign out here."""
    tx.execute(delete(SessionRow).where(SessionRow.digest == digest_of(secret)))


def end_sessions_of(tx: Session, owner: Owner) -> None:
    """Sign an owner out everywhere, whichever of their tokens each session was begun with."""
    tokens = select(TokenRow.id).where(TokenRow.store_id == owner.store_id, TokenRow.owner == owner.name)
    tx.execute(delete(SessionRow).where(SessionRow.token_id.in_(tokens)))
