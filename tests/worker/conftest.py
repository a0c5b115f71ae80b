"""Requests for archives, with the artifacts that they are made of."""

from uuid import uuid4

import pytest

from app.artifacts.opening import open_artifacts
from worker.archive import ArchiveRequest, StoredDocuments, write_items, write_steps


@pytest.fixture
def request_for(tmp_path):
    def make(items, steps, *, store="artifacts", layout="separate", combined_part=500):
        """`steps` are (first item, last item, stored bytes, or None for a missing object, or what writes them)."""
        address = str(tmp_path / store)
        artifacts = open_artifacts(address)
        job = uuid4()
        stored = []
        for number, (first, last, content) in enumerate(steps, start=1):
            key = f"{job}/{number}-1"
            if content is not None:
                write = content if callable(content) else lambda file, content=content: file.write(content)
                artifacts.put(key, write)
            stored.append(StoredDocuments(number, key, first, last))
        lines, step_lines = tmp_path / f"{job}.items", tmp_path / f"{job}.steps"
        with lines.open("w", encoding="utf-8") as file:
            write_items(file, ((one, "why") for one in items))
        with step_lines.open("w", encoding="utf-8") as file:
            write_steps(file, stored)
        return ArchiveRequest(
            artifacts=address,
            identity=artifacts.identify(),
            items=lines,
            steps=step_lines,
            key=f"{job}/99-1",
            document_type="invoice",
            layout=layout,
            sort="created",
            combined_part=combined_part,
        )

    return make
