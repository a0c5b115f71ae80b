"""One look at an export by whoever brings a token: who may, and what it costs the database."""

import re
from uuid import UUID, uuid4

import pytest
from sqlalchemy import event, text

from app.database.looking import look
from app.database.stores import create_token, revoke_token
from app.domain.principal import Owner, Right


def token_of(bench, owner: Owner) -> str:
    with bench.database.transaction() as tx:
        return create_token(
            tx, store_id=owner.store_id, owner=owner.name, rights=frozenset(Right), expires_at=None
        ).text


def looked_at(bench, token: str, job: UUID):
    with bench.database.reading() as tx:
        return look(tx, token, job)


@pytest.fixture
def owner(bench) -> Owner:
    return bench.owner()


@pytest.fixture
def token(bench, owner) -> str:
    return token_of(bench, owner)


def test_the_owner_sees_the_export_and_the_moment(bench, owner, token):
    job = bench.submit(owner=owner)

    found = looked_at(bench, token, job)

    assert found.job.id == job
    assert found.at >= found.job.created_at
    assert (found.hosts.alive, found.hosts.able, found.hosts.slots) == (0, 0, 0)


def test_what_is_another_owners_is_absent_as_what_does_not_exist(bench, token):
    foreign = bench.submit()

    assert [looked_at(bench, token, one).job for one in (foreign, uuid4())] == [None, None]


def test_a_token_that_is_unknown_revoked_or_expired_sees_nothing_at_all(bench, owner, token):
    job, expired = bench.submit(owner=owner), token_of(bench, owner)
    bench.sql(f"UPDATE tokens SET expires_at = created_at WHERE hint = '{expired[:10]}'")
    with bench.database.transaction() as tx:
        revoke_token(tx, 1)

    assert [looked_at(bench, one, job) for one in (token, expired, f"{token}x", "")] == [None] * 4


def test_a_look_is_one_statement_that_finds_token_and_export_by_index(bench, migrated_engine, owner, token):
    job, sent = bench.submit(owner=owner), []
    is_postgresql = migrated_engine.dialect.name == "postgresql"
    event.listen(migrated_engine, "before_cursor_execute", lambda *given: sent.append(given[2:4]))

    with bench.database.reading() as tx:
        look(tx, token, job)
        (_begin, (statement, values)) = sent
        if is_postgresql:
            # a table of so few rows is read through otherwise, and rightly
            tx.execute(text("SET LOCAL enable_seqscan = off"))
        explain = "EXPLAIN" if is_postgresql else "EXPLAIN QUERY PLAN"
        plan = "\n".join(row[-1] for row in tx.connection().exec_driver_sql(f"{explain} {statement}", values))

    for table in ("tokens", "jobs"):
        assert re.search(rf"Index Scan using \w+ on {table}\b|SEARCH {table} USING INDEX", plan), plan
