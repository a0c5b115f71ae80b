"""File names that every system takes."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.filenames import MAX_STEM_BYTES, key, portable, stem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7001", "7001"),
        ("2026/118", "2026-118"),
        ("RE 2026 – 0007", "RE-2026-–-0007"),
        ("A  \t B", "A-B"),
        ('a<b>c:d"e/f\\g|h?i*j~k', "a-b-c-d-e-f-g-h-i-j-k"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\Windows", "C-Windows"),
        (" .-x-. ", "x"),
        ("a.b", "a.b"),
        ("Müller", "Müller"),
        ("Mu\u0308ller", "Müller"),
        ("\u202egpj.exe", "gpj.exe"),
        ("a\x00b\x1bc\ud800d\ue000e", "abcde"),
        ("\u0301x", "x"),
        ("注文１２", "注文１２"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("Com1", "_Com1"),
        ("LPT³.log", "_LPT³.log"),
        ("conin$", "_conin$"),
        ("CONSOLE", "CONSOLE"),
        ("COM10", "COM10"),
        ("", "9"),
        ("///", "9"),
        ("~", "9"),
        ("\u200b\u202e", "9"),
    ],
)
def test_stems(text: str, expected: str) -> None:
    assert stem(text, fallback="9") == expected


def test_a_fallback_that_says_nothing_either_has_a_name() -> None:
    assert stem("", fallback="..") == "unnamed"


def test_long_names_are_cut_between_characters() -> None:
    assert stem("x" * 300, "") == "x" * MAX_STEM_BYTES
    assert stem("ü" * 300, "") == "ü" * 50
    assert stem("注" * 300, "") == "注" * 33
    assert stem("x" * 99 + "q\u0307\u0323", "") == "x" * 99
    assert stem("x" * 99 + "/y", "") == "x" * 99


@given(st.text(st.characters()), st.text(st.characters()))
@example("CON." + "x" * 200, "")
@example("a" + "\u0301" * 200, "")
def test_any_text_gives_a_portable_stem(text: str, fallback: str) -> None:
    name = stem(text, fallback)

    assert name
    assert len(name.encode()) <= MAX_STEM_BYTES
    assert name == unicodedata.normalize("NFC", name)
    assert not set(name) & set('<>:"/\\|?*~')
    assert not any(char.isspace() or unicodedata.category(char).startswith("C") for char in name)
    assert name[0] not in " .-"
    assert name[-1] not in " .-"
    assert name.split(".")[0].upper() not in {"CON", "NUL", "PRN", "AUX", "COM1", "COM¹", "LPT9", "CONIN$", "CONOUT$"}
    assert stem(name, "") == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("re-7a", "RE-7A"),
        ("Straße", "STRASSE"),
        ("Müller", "Mu\u0308ller"),
        ("İstanbul", "i\u0307stanbul"),
        ("ıq", "IQ"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("ﬁle", "FILE"),
        ("７", "7"),
    ],
)
def test_names_that_some_file_system_confuses_share_a_key(one: str, other: str) -> None:
    assert key(one) == key(other)


@given(st.text(st.characters()))
def test_case_and_normalisation_never_change_a_key(text: str) -> None:
    name = stem(text, "1")
    # What file systems compare: one character for one, as NTFS does, or folded, as APFS does.
    upper = "".join(char.upper() if len(char.upper()) == 1 else char for char in name)
    lower = "".join(char.lower() if len(char.lower()) == 1 else char for char in name)

    forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")]

    assert {key(variant) for variant in (upper, lower, *forms)} == {key(name)}


def test_different_numbers_keep_different_keys() -> None:
    assert len({key(name) for name in ("7", "07", "7a", "7-1", "7.1")}) == 5


@given(st.from_regex(r"[ -~]{0,40}", fullmatch=True))
@example("RE-2026-0007")
@example("COM1000")
def test_plain_names_are_no_other_for_being_made_faster(text: str) -> None:
    """A `/` at the end is left off, and has the name made step by step."""
    assert portable(text, 40) == portable(f"{text}/", 41)
    assert key(text) == unicodedata.normalize("NFKC", text.upper().casefold())
