"""Size does not matter: what three thousand documents take of memory, three hundred take too."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.installation import Installation, embedded, renderers_of
from tests.processes import peak_memory
from tests.shop import order

FEW, MANY = 300, 3_000
GROWTH = 40 << 20
"""Bytes: the documents of the larger export have ten times as many, and its combined PDFs are ten times as many."""


class Peaks:
    """The most memory that the server, and any child that it has meanwhile, is seen to take."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self.server = self.child = 0
        # what an import once took is forgotten: see proc_pid_clear_refs(5)
        Path(f"/proc/{installation.server.pid}/clear_refs").write_text("5")

    def look(self) -> None:
        server = self._installation.server
        self.server = peak_memory(server.pid)
        self.child = max(self.child, *map(peak_memory, renderers_of(server)), 0)


def many_lines(number: int) -> dict[str, Any]:
    lines = [{"id": place, "name": f"Cup {number}-{place}", "quantity": 1, "total": "1.00"} for place in range(5)]
    return order(number, line_items=lines[: 1 + number % 5], total=f"{1 + number % 5}.00")


@pytest.mark.long
def test_memory_is_flat_from_three_hundred_documents_to_three_thousand(tmp_path):
    with embedded(tmp_path, SHEAF_COMBINED_PART="100") as installation, installation.owner() as client:
        client.load([many_lines(number) for number in range(MANY)])
        peaks = []
        for count in (FEW, MANY):
            taken = Peaks(installation)

            def is_over(found: Mapping[str, Any], taken: Peaks = taken) -> bool:
                taken.look()
                return found["state"] in {"completed", "failed"}

            export = client.create(layout="both", selection={"order_ids": [5000 + number for number in range(count)]})
            assert export["state"] == "queued"
            ended = client.until(export, is_over, within=2400)
            assert ended["counts"] == {"requested": count, "rendered": count, "failed": 0, "skipped": 0}
            peaks.append(taken)

    few, many = peaks
    assert many.server - few.server < GROWTH, (few.server, many.server)
    assert many.child - few.child < GROWTH, (few.child, many.child)
