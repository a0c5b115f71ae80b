"""Each change of a store's settings is a version; a planned export keeps its own, and the version stays for it."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from app.database.jobs import lock_job
from app.database.planning import plan
from app.database.settings import (
    SettingsChanged,
    change_settings,
    current_version,
    find_version,
    forget_old_settings,
)
from app.database.tables import JobRow, StoreRow
from app.domain.document_type import DocumentType
from app.domain.store_settings import OwnTemplate, thawed
from tests.database.conftest import content

MINE = OwnTemplate(DocumentType.INVOICE, "<p>{{ view.frame.title }}", "p { color: red }")
LONG_AGO = "2026-01-01T00:00:00.000000Z"


@pytest.fixture
def change(bench):
    """Changes the store of the bench."""

    def run(*, by=None, expected=None, **new):
        with bench.database.transaction() as tx:
            return change_settings(
                tx, bench.store_id, lambda old: replace(old, **new), changed_by=by, expected=expected
            )

    return run


@pytest.fixture
def version(bench):
    """Reads a version of the store, the present one if no number is given."""

    def run(number=None):
        with bench.database.reading() as tx:
            store = tx.get_one(StoreRow, bench.store_id)
            return current_version(tx, store) if number is None else find_version(tx, store, number)

    return run


@pytest.fixture
def forget(bench):
    """Forgets what is older than an hour."""

    def run():
        with bench.database.transaction() as tx:
            return forget_old_settings(tx, record_ttl=3600)

    return run


def frozen_in(bench, job):
    """The number of a job's settings, and the settings themselves."""
    with bench.database.reading() as tx:
        row = tx.get_one(JobRow, job)
        return row.store_version, thawed(row.store_settings)


def test_each_change_is_a_version_with_its_author_and_no_change_is_none(change, version):
    first = version()

    second = change(by="alice", bank_lines=("IBAN X",), logo=b"logo", templates=(MINE,))
    again = change(by="bob", bank_lines=("IBAN X",))
    third = change(name="Other")

    assert [first.number, second.number, again.number, third.number] == [1, 2, 2, 3]
    assert [first.changed_by, second.changed_by, again.changed_by, third.changed_by] == [None, "alice", "alice", None]
    assert second.settings == replace(first.settings, bank_lines=("IBAN X",), logo=b"logo", templates=(MINE,))
    assert version(2) == second
    assert version() == version(3) == third
    assert version(4) is None


def test_a_change_of_another_version_than_expected_is_refused_and_changes_nothing(change, version):
    change(name="Second")

    with pytest.raises(SettingsChanged) as refused:
        change(name="Lost update", expected={1})

    assert refused.value.number == 2
    assert version().settings.name == "Second"
    assert change(name="Third", expected={1, 2}).number == 3


def test_an_export_freezes_the_settings_of_its_planning(bench, change, version):
    bench.load(content(1))
    queued = bench.submit()
    planned = bench.planned()

    change(accent="#1a4d8f")
    with bench.database.transaction() as tx:
        plan(tx, bench.claim(queued), max_items=10)

    assert bench.job(queued).store_version == 2
    assert frozen_in(bench, planned) == (1, version(1).settings)
    assert frozen_in(bench, queued) == (2, version(2).settings)


def test_what_a_release_without_versions_changed_is_written_down_by_whoever_comes_next(bench, change, version):
    bench.sql("DELETE FROM store_versions")
    assert version().number == 1
    bench.load(content(1))
    first = bench.planned()
    bench.sql("UPDATE stores SET name = 'By the old release'")
    seen = version()
    second = bench.planned()
    bench.sql("UPDATE stores SET name = 'By the old release again'")

    changed = change(by="alice", footer=("x",))

    assert (seen.number, seen.settings.name) == (2, "By the old release")
    assert frozen_in(bench, first)[0] == 1
    assert frozen_in(bench, second) == (2, seen.settings)
    assert (changed.number, changed.changed_by, changed.settings.footer) == (4, "alice", ("x",))
    assert (version(3).changed_by, version(3).settings.name) == (None, "By the old release again")


def test_a_planning_that_waits_for_a_change_freezes_what_it_became(bench, contender):
    """The planner found no version of what it had read; the row it read may be old by the time it may write."""
    bench.load(content(1))
    job = bench.submit()
    claim = bench.claim(job)
    bench.sql("UPDATE stores SET name = 'By the old release'")

    with bench.database.transaction() as tx:
        change_settings(tx, bench.store_id, lambda old: replace(old, name="Newest"), changed_by=None)
        planning = contender(lambda late: plan(late, claim, max_items=10))
    planning.result()

    number, settings = frozen_in(bench, job)
    assert (number, settings.name) == (3, "Newest")


def test_of_two_changes_of_one_version_at_once_the_later_is_refused(bench, contender, version):
    def late_change(tx):
        return change_settings(
            tx, bench.store_id, lambda old: replace(old, footer=("b",)), changed_by="b", expected={1}
        )

    with bench.database.transaction() as tx:
        change_settings(tx, bench.store_id, lambda old: replace(old, name="a"), changed_by="a", expected={1})
        late = contender(late_change)

    with pytest.raises(SettingsChanged):
        late.result()
    assert (version().number, version().settings.name, version().settings.footer) == (2, "a", ())


def test_two_changes_at_once_follow_each_other(bench, contender, version):
    with bench.database.transaction() as tx:
        change_settings(tx, bench.store_id, lambda old: replace(old, footer=("a",)), changed_by="a")
        late = contender(
            lambda tx: change_settings(tx, bench.store_id, lambda old: replace(old, accent="#1a4d8f"), changed_by="b")
        )

    assert late.result().number == 3
    assert (version().settings.footer, version().settings.accent) == (("a",), "#1a4d8f")


def test_a_version_stays_while_an_export_refers_to_it(bench, change, version, forget):
    bench.load(content(1))
    job = bench.planned()
    for name in ("b", "c", "d"):
        change(name=name)
    bench.sql(f"UPDATE store_versions SET changed_at = '{LONG_AGO}' WHERE number <> 3")

    assert forget() == 1

    assert [version(number) is not None for number in (1, 2, 3, 4)] == [True, False, True, True]
    with bench.database.transaction() as tx:
        lock_job(tx, job)
        tx.execute(update(JobRow).where(JobRow.id == job).values(store_version=None))
    assert forget() == 1
    assert version(1) is None


def test_no_version_goes_while_somebody_may_be_planning_with_it(bench, change, version, forget):
    bench.load(content(1))
    job = bench.submit()
    bench.claim(job)
    change(name="b")
    bench.sql(f"UPDATE store_versions SET changed_at = '{LONG_AGO}'")

    assert forget() == 0
    assert version(1) is not None
