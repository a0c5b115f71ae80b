"""Where the words of a document stand, as poppler sees it."""

import html
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

MILLIMETRE = 72 / 25.4
MARGIN = 20 * MILLIMETRE
WIDTH = 210 * MILLIMETRE
HEIGHT = 297 * MILLIMETRE
SLACK = 0.6
"""Points by which letters may stand before or behind the edge of their box; those of a large title do."""
WORD = re.compile(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*)</word>')


@dataclass(frozen=True)
class Word:
    """A word and its box, in points from the top left of the page."""

    left: float
    top: float
    right: float
    bottom: float
    text: str


def poppler(pdf: bytes, option: str) -> str:
    """What `pdftotext` prints of a document."""
    return subprocess.run(["pdftotext", option, "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()


def pages_of_words(pdf: bytes) -> list[list[Word]]:
    """The words of each page."""
    pages = poppler(pdf, "-bbox").split("<page ")[1:]
    return [[Word(*map(float, box), html.unescape(text)) for *box, text in WORD.findall(page)] for page in pages]


def words_of(pdf: bytes) -> list[Word]:
    """All words of a document of A4 pages, page after page."""
    return [word for page in pages_of_words(pdf) for word in page]


def line_of(words: Sequence[Word], text: str) -> str:
    """The line with a word in it, from left to right; letters of Arabic stand as they are seen."""
    middle = next((word.top + word.bottom) / 2 for word in words if word.text == text)
    beside = [word for word in words if word.top < middle < word.bottom]
    return " ".join(word.text for word in sorted(beside, key=lambda word: word.left))


def is_inside(word: Word) -> bool:
    """Whether a word stands between the margins at the sides."""
    return word.left > MARGIN - SLACK and word.right < WIDTH - MARGIN + SLACK


def is_off_the_edge(word: Word) -> bool:
    """Whether a word keeps 8 mm from every edge of an A4 page, which is what printers need."""
    edge = 8 * MILLIMETRE
    return min(word.left, word.top, WIDTH - word.right, HEIGHT - word.bottom) >= edge


def overlapping(words: Sequence[Word]) -> list[tuple[str, str]]:
    """The pairs of words of one page whose letters stand on each other.

    Boxes are as high as their line, whose letters fill the middle: boxes of two lines may touch.
    """
    return [
        (one.text, other.text)
        for one, other in combinations(words, 2)
        if min(one.right, other.right) - max(one.left, other.left) > 0.5
        and min(one.bottom, other.bottom) - max(one.top, other.top)
        > 0.35 * min(one.bottom - one.top, other.bottom - other.top)
    ]
