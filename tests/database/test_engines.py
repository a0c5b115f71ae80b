"""What an engine is set to, where it matters to people."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError


def test_an_errors_text_holds_no_parameter(bench):
    with pytest.raises(DBAPIError) as failed, bench.database.transaction() as tx:
        tx.execute(text("SELECT :name FROM no_such_table"), {"name": "greta@example.com"})

    assert "no_such_table" in str(failed.value)
    assert "greta" not in str(failed.value)


def test_a_reading_transaction_writes_nothing_on_a_server(bench, migrated_url):
    if migrated_url.startswith("sqlite"):
        # it begins without the write lock, so that a writer is not in its way
        with bench.database.transaction(), bench.database.reading() as tx:
            assert tx.scalar(text("SELECT count(*) FROM stores")) == 1
        return
    with pytest.raises(DBAPIError, match="read-only"), bench.database.reading() as tx:
        tx.execute(text("DELETE FROM tokens"))
