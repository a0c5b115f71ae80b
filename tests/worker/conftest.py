"""Requests for archives, with the artifacts that they are made of."""

import json
from dataclasses import asdict
from uuid import uuid4

import pytest

from app.artifacts.opening import open_artifacts
from worker.archive import ArchiveRequest, StoredDocuments


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
        lines = tmp_path / f"{job}.jsonl"
        lines.write_text("".join(json.dumps({**asdict(one), "reason": "why"}) + "\n" for one in items), "utf-8")
        return ArchiveRequest(
            artifacts=address,
            identity=artifacts.identify(),
            items=lines,
            steps=stored,
            key=f"{job}/99-1",
            document_type="invoice",
            layout=layout,
            sort="created",
            combined_part=combined_part,
        )

    return make
