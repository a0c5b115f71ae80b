"""Guards of what is owed and where it stands: no order documented twice, no part of a PDF over its bounds."""

from tests.mutants.mutant import Mutant

SELECTING, REFUNDS, LAYOUTS = "app/database/selecting.py", "app/database/refunds.py", "app/domain/layouts.py"
COMBINING = "worker/combining.py"
POLICY, CREDITING = "tests/database/test_policy.py", "tests/database/test_crediting.py"
PLACES, COMBINED = "tests/domain/test_layouts.py", "tests/worker/test_combining.py"

OWING = (
    Mutant(
        "parts beside the whole",
        SELECTING,
        "case((or_(is_no_sale, is_part), Outcome.SKIPPED.value)",
        "case((is_no_sale, Outcome.SKIPPED.value)",
        "a sale that a marketplace has split is invoiced twice",
        (f"{POLICY}::test_a_part_of_an_order_is_covered_by_the_documents_of_the_whole",),
    ),
    Mutant(
        "parts that nothing covers",
        SELECTING,
        "        parent.status.not_in(no_sale),\n",
        "",
        "a sale whose whole was cancelled has no invoice at all",
        (f"{POLICY}::test_a_part_whose_whole_has_no_documents_gets_its_own",),
    ),
    Mutant(
        "parts covered in another store",
        SELECTING,
        "        parent.store_id == wanted.store_id,\n        parent.shop_id == parent_id,",
        "        parent.shop_id == parent_id,",
        "an order of one shop keeps that of another from its invoice",
        (f"{POLICY}::test_a_whole_in_another_store_covers_nothing",),
    ),
    Mutant(
        "documents for no sale",
        SELECTING,
        "literal(value=False) if selection.statuses else status.in_(rule.statuses)",
        "literal(value=False)",
        "a draft gets an invoice with a number",
        (f"{POLICY}::test_every_status_has_its_document_or_its_reason",),
    ),
    Mutant(
        "refunds that were taken back stay",
        REFUNDS,
        "    if gone:\n",
        "    if gone and False:\n",
        "a credit note of money that was never given back",
        (f"{CREDITING}::test_a_refund_that_the_shop_took_back_is_no_item_and_a_full_one_stays",),
    ),
    Mutant(
        "full refunds that go with an order's own list",
        REFUNDS,
        "if key not in wanted and key[1] not in kept.get(key[0], ())]",
        "if key not in wanted]",
        "a refund that was imported by itself has no credit note any more",
        (f"{CREDITING}::test_a_refund_that_the_shop_took_back_is_no_item_and_a_full_one_stays",),
    ),
    Mutant(
        "parts of any number of documents",
        LAYOUTS,
        "part.documents == self._at_most or part.bytes",
        "part.bytes",
        "memory grows with the number of orders",
        (f"{PLACES}::test_a_part_ends_at_its_number_of_documents_and_pages_count_from_its_beginning",),
    ),
    Mutant(
        "parts of any size",
        LAYOUTS,
        " or part.bytes + size > PART_BYTES",
        "",
        "five hundred long documents take more memory than a child may have",
        (f"{PLACES}::test_a_part_ends_before_its_documents_are_too_large_together",),
    ),
    Mutant(
        "parts that are dropped when they are full",
        COMBINING,
        "            self.finish()\n            self._part",
        "            self._drop()\n            self._part",
        "documents that the manifest names are in no file",
        (f"{COMBINED}::test_the_manifest_tells_the_file_and_the_page_of_each_document",),
    ),
)
