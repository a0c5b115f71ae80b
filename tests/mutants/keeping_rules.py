"""Guards of PDF/A-3b and PDF/UA-1: what is told is told once and in its place, and nothing claims what it is not."""

from tests.mutants.mutant import Mutant

TAGGING, VARIANTS = "app/documents/tagging.py", "app/documents/variants.py"
OUTLINING, MERGED = "app/documents/outlining.py", "worker/merged_structure.py"
HELD, OWN = "tests/archive_rules/test_variants.py", "tests/archive_rules/test_own_templates.py"

KEEPING_RULES = (
    Mutant(
        "the head of a table on its next page",
        TAGGING,
        "return self._heads.setdefault(box.element, self._page) != self._page",
        "return False",
        "a table over many pages reads its head out on each",
        (f"{HELD}::test_a_table_over_many_pages_is_one_and_what_stands_on_every_page_is_said_once",),
    ),
    Mutant(
        "decoration withdrawn",
        TAGGING,
        '        _withdraw({mark["mcid"] for mark in self._marks.values()}, stream.stream)\n',
        "",
        "what stands in the margins is neither content nor decoration",
        (f"{HELD}::test_each_piece_of_content_belongs_to_one_element_that_knows_it",),
    ),
    Mutant(
        "metadata that anyone can read",
        VARIANTS,
        "        one.compress = False",
        "        one.compress = True",
        "the metadata of a PDF/A-3b is compressed, which its standard forbids",
        (f"{HELD}::test_documents_keep_the_rules_of_their_variant_alone_and_combined",),
    ),
    Mutant(
        "levels of headings",
        OUTLINING,
        "min(int(heading[1]), self._level + 1)",
        "int(heading[1])",
        "a store's own template makes a PDF/UA-1 that skips levels of headings",
        (f"{OWN}::test_what_a_template_leaves_open_is_settled_for_it",),
    ),
    Mutant(
        "the way back in a combined PDF",
        MERGED,
        "self._next_key += int(root.ParentTreeNextKey)",
        "self._next_key += 0",
        "the content of one document of a combined PDF is told as that of another",
        (f"{HELD}::test_each_piece_of_content_belongs_to_one_element_that_knows_it",),
    ),
)
