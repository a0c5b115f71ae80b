"""Stores and the tokens of their owners."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, or_, select, update
from sqlalchemy.orm import Session
from sqlalchemy.sql.elements import ColumnElement

from app.database.clock import now, seconds_from_now
from app.database.settings import keep_version
from app.database.tables import StoreRow, TokenRow
from app.domain.principal import Owner, Principal, Right

TOKEN_PREFIX = "sheaf_"  # noqa: S105 - a prefix that secret scanners can find, not a secret


def find_store(tx: Session, key: str) -> StoreRow | None:
    """The store with this key."""
    return tx.scalars(select(StoreRow).where(StoreRow.key == key)).one_or_none()


def time_zone_of(tx: Session, store_id: int) -> str:
    """The IANA time zone of a store, without the rest of its settings; UTC for one that is no more."""
    return tx.scalar(select(StoreRow.time_zone).where(StoreRow.id == store_id)) or "UTC"


def list_stores(tx: Session) -> list[StoreRow]:
    """All stores by key."""
    return list(tx.scalars(select(StoreRow).order_by(StoreRow.key)))


def create_store(tx: Session, *, key: str, name: str | None = None, **settings: Any) -> StoreRow:
    """A new store with its first version; its name is its key until someone sets it."""
    store = StoreRow(key=key, name=name or key, **settings)
    tx.add(store)
    tx.flush()
    keep_version(tx, store)
    return store


@dataclass(frozen=True, slots=True)
class MintedToken:
    """A new token: the only time its text is known."""

    row: TokenRow
    text: str


def digest_of(token: str) -> str:
    """What is stored of a token. A fast hash is enough for 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def create_token(
    tx: Session, *, store_id: int, owner: str, rights: frozenset[Right], expires_at: datetime | None
) -> MintedToken:
    """Mint a token for an owner of a store."""
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    row = TokenRow(
        store_id=store_id,
        owner=owner,
        digest=digest_of(token),
        hint=token[:10],
        rights=",".join(sorted(rights)),
        expires_at=expires_at,
    )
    tx.add(row)
    tx.flush()
    return MintedToken(row, token)


def list_tokens(tx: Session, store_id: int) -> list[TokenRow]:
    """The tokens of a store, oldest first."""
    return list(tx.scalars(select(TokenRow).where(TokenRow.store_id == store_id).order_by(TokenRow.id)))


def revoke_token(tx: Session, token_id: int) -> TokenRow | None:
    """End a token now; revoking twice keeps the first time."""
    tx.execute(update(TokenRow).where(TokenRow.id == token_id, TokenRow.revoked_at.is_(None)).values(revoked_at=now()))
    return tx.get(TokenRow, token_id)


def authenticate(tx: Session, token: str) -> Principal | None:
    """The principal of a live token."""
    found = find_live_token(tx, token)
    return None if found is None else principal_of(*found)


def find_live_token(tx: Session, token: str) -> tuple[TokenRow, str] | None:
    """A live token's row and its store's key. Lookup is by digest, compared once more in constant time."""
    digest = digest_of(token)
    found = tx.execute(live_tokens().where(TokenRow.digest == digest)).one_or_none()
    if found is None or not hmac.compare_digest(found[0].digest, digest):
        return None
    return found[0], found[1]


def live_tokens() -> Select[TokenRow, str]:
    """The rows of live tokens, each with its store's key."""
    return select(TokenRow, StoreRow.key).join(StoreRow, StoreRow.id == TokenRow.store_id).where(is_live())


def is_live() -> ColumnElement[bool]:
    """Of a token's row: it is neither revoked nor expired."""
    return and_(
        TokenRow.revoked_at.is_(None),
        or_(TokenRow.expires_at.is_(None), TokenRow.expires_at > seconds_from_now(0)),
    )


def principal_of(row: TokenRow, store: str) -> Principal:
    """Whom a token stands for; `store` is its store's key."""
    # while hosts are changed over, a later release may have given rights that we do not know
    rights = frozenset(Right(word) for word in row.rights.split(",") if word in set(Right))
    return Principal(Owner(row.store_id, store, row.owner), rights)
