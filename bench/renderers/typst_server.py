"""Typst in one process that stays, run by a Python that has the `typst` package: JSON of a view in, a PDF out.

The length of each and a line's end come before it.
"""

import sys
from pathlib import Path

import typst  # type: ignore[import-not-found]

FONTS = ["/usr/share/fonts/truetype/noto", "/usr/share/fonts/opentype/noto"]

compiler = typst.Compiler(
    str(Path(__file__).with_name("invoice.typ")),
    font_paths=typst.Fonts(include_system_fonts=False, font_paths=FONTS),
    ignore_system_fonts=True,
)
while line := sys.stdin.buffer.readline():
    order = sys.stdin.buffer.read(int(line)).decode()
    pdf = compiler.compile(format="pdf", sys_inputs={"order": order}, pdf_tags=False)
    sys.stdout.buffer.write(b"%d\n" % len(pdf) + pdf)
    sys.stdout.buffer.flush()
