"""The archive: deterministic, whole, and never made from bytes that are not the items'."""

import hashlib
import json
import os
import unicodedata
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from app.artifacts.folder import FolderStore
from app.artifacts.opening import open_artifacts
from app.artifacts.store import ArtifactsUnavailable
from tests.worker.archives import archive_of, item
from worker.archive import Archived, BadArtifacts, build_archive


def test_every_item_is_accounted_for(request_for):
    pdfs = [b"%PDF-one", b"%PDF-two", b"%PDF-four"]
    items = [item(1, pdfs[0]), item(2, pdfs[1]), item(3, code="render_error"), item(4, pdfs[2], date="")]
    request = request_for(items, [(1, 2, pdfs[0] + pdfs[1]), (3, 4, pdfs[2])])

    outcome = build_archive(request)

    content = open_artifacts(request.artifacts).path(request.key).read_bytes()
    assert outcome == Archived(len(content), hashlib.sha256(content).hexdigest())
    with archive_of(request) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "invoice-1.pdf", "invoice-2.pdf", "invoice-4.pdf",
            "manifest.json", "manifest.csv", "summary.csv", "failures.csv",
        ]  # fmt: skip
        assert [archive.read(name) for name in archive.namelist()[:3]] == pdfs
        assert [archive.getinfo(f"invoice-{number}.pdf").date_time[:3] for number in (1, 4)] == [
            (2026, 11, 30),
            (1980, 1, 1),
        ]
        assert all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
        manifest = json.loads(archive.read("manifest.json"))
        assert (manifest["requested"], manifest["rendered"], manifest["failed"]) == (4, 3, 1)
        assert manifest["items"] == json.loads(json.dumps([asdict(one) for one in items]))


def test_the_digest_of_a_large_archive_is_that_of_its_file(request_for):
    pdfs = [os.urandom(3 << 20) for _ in range(5)]
    items = [item(number, pdf) for number, pdf in enumerate(pdfs, start=1)]
    request = request_for(items, [(1, 3, b"".join(pdfs[:3])), (4, 5, b"".join(pdfs[3:]))])

    outcome = build_archive(request)

    content = open_artifacts(request.artifacts).path(request.key).read_bytes()
    assert outcome == Archived(len(content), hashlib.sha256(content).hexdigest())


def test_an_archive_that_is_not_as_long_as_what_was_written_is_not_told_of(request_for, monkeypatch):
    request = request_for([item(1, b"one")], [(1, 1, b"one")])
    monkeypatch.setattr(FolderStore, "size", lambda _self, _key: 1)

    with pytest.raises(ArtifactsUnavailable):
        build_archive(request)


def test_the_manifest_tells_which_settings_of_the_store_are_printed(request_for):
    request = replace(request_for([item(1, b"x")], [(1, 1, b"x")]), store_version=3)

    build_archive(request)

    with archive_of(request) as archive:
        assert json.loads(archive.read("manifest.json"))["store_version"] == 3


def test_no_failures_no_failures_csv(request_for):
    request = request_for([item(1, b"x")], [(1, 1, b"x")])

    build_archive(request)

    with archive_of(request) as archive:
        assert "failures.csv" not in archive.namelist()


def test_the_bytes_depend_on_nothing_but_the_items(request_for):
    items = [item(1, b"one"), item(2, b"two")]
    calm = request_for(items, [(1, 2, b"onetwo")], store="here")
    other = request_for(items, [(1, 1, b"one"), (2, 2, b"two")], store="there")

    assert build_archive(calm) == build_archive(other)


@pytest.mark.parametrize(
    "second",
    [None, b"", b"tw", b"twX", b"owt"],
    ids=["missing", "empty", "truncated", "damaged", "another"],
)
def test_a_bad_artifact_names_its_step_and_leaves_no_archive(request_for, second):
    request = request_for([item(1, b"one"), item(2, b"two")], [(1, 1, b"one"), (2, 2, second)])

    assert build_archive(request) == BadArtifacts((2,))
    assert request.key not in set(open_artifacts(request.artifacts).keys())


def test_every_bad_artifact_is_named_at_once(request_for):
    items = [item(1, b"one"), item(2, b"two"), item(3, b"three"), item(4, b"four")]
    request = request_for(items, [(1, 1, None), (2, 2, b"two"), (3, 3, b"thre"), (4, 4, None)])

    assert build_archive(request) == BadArtifacts((1, 3, 4))


def test_an_empty_folder_in_place_of_the_share_is_no_proof_of_loss(request_for):
    request = request_for([item(1, b"one")], [(1, 1, b"one")])
    share = Path(request.artifacts)
    share.rename(share.with_name("away"))

    for make in (lambda: None, share.mkdir, lambda: open_artifacts(request.artifacts)):
        make()
        with pytest.raises(ArtifactsUnavailable):
            build_archive(request)
    assert not (share / request.key).exists()


def test_a_formula_in_a_currency_runs_nowhere(request_for):
    request = request_for([item(1, b"x", currency="=1+1")], [(1, 1, b"x")])

    build_archive(request)

    with archive_of(request) as archive:
        assert archive.read("summary.csv").decode("utf-8-sig").splitlines()[1].startswith("'=1+1,")


def test_a_rendered_item_without_a_step_is_never_left_out(request_for):
    request = request_for([item(1, b"one"), item(2, b"two")], [(1, 1, b"one")])

    with pytest.raises(RuntimeError):
        build_archive(request)


def test_names_of_every_script_are_marked_as_utf8_and_plain_ones_are_not(request_for):
    name = unicodedata.normalize("NFC", "invoice-größe-請求書-счёт.pdf")
    request = request_for([item(1, b"x", file=name), item(2, b"x")], [(1, 2, b"xx")])

    build_archive(request)

    with archive_of(request) as archive:
        entry, plain = archive.infolist()[:2]
        assert entry.filename == name
        assert entry.flag_bits & 0x800
        assert not plain.flag_bits & 0x800


def test_sums_are_exact_and_missing_amounts_add_nothing(request_for):
    items = [item(n, b"x", net="0.1", tax="", total="0.1") for n in range(1, 4)] + [
        item(4, b"x", currency="JPY", total="8")
    ]
    request = request_for(items, [(1, 4, b"xxxx")])

    build_archive(request)

    with archive_of(request) as archive:
        assert archive.read("summary.csv").decode("utf-8-sig").splitlines() == [
            "currency,outcome,count,net,tax,total",
            "EUR,rendered,3,0.3,0,0.3",
            "JPY,rendered,1,1.00,0.19,8",
        ]
