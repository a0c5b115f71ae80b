"""`sheaf export preview` and `sheaf documents preview` show what would be made, and make nothing of it."""

import json

from tests.cli.running import sheaf


def documents(owner, *arguments):
    return sheaf("documents", "preview", *arguments, environment=owner.environment)


def test_a_preview_is_a_table_or_the_servers_json(server):
    owner = server.owner("few")

    table = owner.export("preview", "--order-id", "3", "--order-id", "998", "--order-id", "1", "--sort", "given")
    told = owner.export("preview", "--filename-pattern", "{number} {customer}", "--json")
    wrong = owner.export("preview", "--from", "2026-07-01")

    assert [done.code for done in (table, told, wrong)] == [0, 0, 2]
    assert table.out.splitlines() == [
        "3 documents: 2 to render, 1 failed; about 1 s (10/s, by default).",
        "",
        "  number  date        customer       total  file",
        "  N-3     2026-07-04  Ada Vogel  24.00 EUR  invoice-N-3.pdf",
        "  N-1     2026-07-02  Ada Vogel  24.00 EUR  invoice-N-1.pdf",
        "",
        "1 failed: order_not_found",
        "  998: No order with id 998 in this store",
    ]
    preview = json.loads(told.out)
    assert [one["file_name"] for one in preview["first"]] == [f"N-{number}-Ada-Vogel.pdf" for number in range(1, 6)]
    assert owner.export("list").out == ""


def test_a_document_is_saved_or_the_reason_told(server, tmp_path):
    owner, file = server.owner("few"), tmp_path / "one.pdf"

    saved = documents(owner, "1", "--type", "packing_slip", "--pdf", "pdf_a_3b", "--output", str(file))
    again = documents(owner, "1", "--output", str(file))
    unpaid = documents(owner, "1", "--type", "receipt", "--output", str(tmp_path / "none.pdf"))
    unknown = documents(owner, "998", "--output", str(tmp_path / "none.pdf"))

    assert (saved.code, again.code, unpaid.code, unknown.code) == (0, 1, 7, 7)
    assert f"Saved {file}" in saved.out
    assert file.read_bytes().startswith(b"%PDF")
    assert b"pdfaid:part" in file.read_bytes()
    assert "--force" in again.err
    assert "document_not_owed: not_paid" in unpaid.err
    assert "The shop stored no date of payment for this order." in unpaid.err
    assert "not_found" in unknown.err
    assert list(tmp_path.iterdir()) == [file]
