"""SQLite's connections let go of their locks when they are told to, whoever still looks at what they did."""

import sqlite3

import pytest

from app.deadline.sqlite import ClosingConnection


@pytest.mark.parametrize("statement", ["INSERT INTO numbers VALUES (1) RETURNING number", "SELECT * FROM numbers"])
def test_a_closed_connection_holds_nothing_although_its_cursor_is_still_known(tmp_path, statement):
    file = tmp_path / "numbers.db"
    with sqlite3.connect(file) as first:
        first.execute("CREATE TABLE numbers (number INTEGER)")
        first.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(10)])
    first.close()
    closing = sqlite3.connect(file, isolation_level=None, factory=ClosingConnection)
    closing.execute("BEGIN IMMEDIATE")
    half_read = closing.cursor().execute(statement)

    closing.close()

    other = sqlite3.connect(file, timeout=0, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert other.execute("SELECT count(*) FROM numbers").fetchone() == (10,)
    other.close()
    with pytest.raises(sqlite3.ProgrammingError):
        half_read.fetchone()
