"""What `sheaf doctor` says of a bucket: that it is used, that it is another one, that it lets nobody in."""

import shutil

import pytest

from app.artifacts.opening import open_artifacts
from app.cli.checkup import ground
from app.cli.checkup.lines import Check, findings
from app.database.engines import sync_engine
from app.database.hosts import fact
from app.database.transactions import Database
from app.settings import Settings
from tests.migrated import LIMITS


@pytest.fixture
def settings(s3_environment, migrated_sqlite, tmp_path):
    """An installation whose processes use the bucket."""
    shutil.copy(migrated_sqlite, tmp_path / "sheaf.db")
    folder = Settings().without_servers().for_folder(tmp_path)
    settings = folder.model_copy(update={"artifacts": s3_environment.address(f"doctor/{tmp_path.name}")})
    store = open_artifacts(settings.artifacts)
    database = Database(sync_engine(settings.database_url.get_secret_value(), LIMITS))
    with database.transaction() as tx:
        fact(tx, "artifacts", if_new=store.identify())
    database.close()
    return settings


def looked_at(settings):
    return list(findings(Check("artifacts", lambda: ground.artifacts(settings), 60)))


def test_a_bucket_that_is_used_is_well_and_keeps_nothing_of_the_look(settings, s3_environment):
    before = s3_environment.keys("doctor")

    told = looked_at(settings)

    assert [(str(line.verdict), line.found[:11]) for line in told] == [("ok", "s3://sheaf-"), ("ok", "An object w")]
    assert s3_environment.keys("doctor") == before


def test_a_bucket_that_lets_nobody_in_is_bad_and_its_secret_is_not_shown(settings, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-secret-that-is-wrong")

    (bad,) = looked_at(settings)

    assert (str(bad.verdict), "another-secret" in repr(bad)) == ("bad", False)
    assert bad.advice


def test_a_bucket_that_is_another_one_is_bad(settings):
    elsewhere = settings.model_copy(update={"artifacts": f"{settings.artifacts}-other"})

    (bad,) = looked_at(elsewhere)

    assert (str(bad.verdict), bad.advice != "") == ("bad", True)
