"""Sign-ins to the console: a session stands for a live token, is found by its own cookie, and ends when it should."""

import pytest
from sqlalchemy import func, select

from app.database.sessions import begin_session, end_session, end_sessions_of, find_session
from app.database.stores import create_token, revoke_token
from app.database.tables import SessionRow
from app.domain.principal import Owner, Right


@pytest.fixture
def token(bench):
    def make(owner):
        with bench.database.transaction() as tx:
            return create_token(
                tx, store_id=bench.store_id, owner=owner, rights=frozenset({Right.EXPORTS}), expires_at=None
            )

    return make


def begin(bench, text, *, seconds=60.0):
    with bench.database.transaction() as tx:
        return begin_session(tx, text, seconds=seconds)


def whose(bench, secret):
    with bench.database.reading() as tx:
        found = find_session(tx, secret)
    return None if found is None else found.owner.name


def test_a_session_is_its_tokens_owner_until_either_ends(bench, token):
    minted = token("alice")
    secret, another = begin(bench, minted.text), begin(bench, minted.text)

    assert begin(bench, "sheaf_wrong") is None
    assert [whose(bench, one) for one in (secret, another, "wrong", "")] == ["alice", "alice", None, None]
    with bench.database.transaction() as tx:
        end_session(tx, another)
    assert [whose(bench, one) for one in (secret, another)] == ["alice", None]
    with bench.database.transaction() as tx:
        revoke_token(tx, minted.row.id)
    assert whose(bench, secret) is None
    assert begin(bench, minted.text) is None


def test_an_expired_session_is_nobodys_and_is_forgotten_at_the_next_sign_in(bench, token):
    minted = token("alice")
    expired = begin(bench, minted.text, seconds=-1.0)

    assert whose(bench, expired) is None
    begin(bench, minted.text)

    with bench.database.reading() as tx:
        assert tx.scalar(select(func.count()).select_from(SessionRow)) == 1


def test_an_owner_is_signed_out_everywhere_and_nobody_else_is(bench, token):
    first, second, bobs = (begin(bench, token(owner).text) for owner in ("alice", "alice", "bob"))

    with bench.database.transaction() as tx:
        end_sessions_of(tx, Owner(bench.store_id, "demo", "alice"))

    assert [whose(bench, one) for one in (first, second, bobs)] == [None, None, "bob"]
