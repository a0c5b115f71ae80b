"""The names of artifacts. A key ends in step and attempt, so no writer can meet another's object."""

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

_KEY: Final = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9]{1,18})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class ArtifactKey:
    """`<job id>/<step id>-<attempt>`."""

    job_id: UUID
    step_id: int
    attempt: int

    def __str__(self) -> str:
        return f"{self.job_id}/{self.step_id}-{self.attempt}"

    @property
    def step(self) -> tuple[UUID, int]:
        """The ids of the job and of the step that made it."""
        return self.job_id, self.step_id

    @classmethod
    def parse(cls, text: str) -> "ArtifactKey | None":
        """The key that this text is, or None for anything that we did not name."""
        found = _KEY.fullmatch(text)
        if found is None:
            return None
        key = cls(UUID(found[1]), int(found[2]), int(found[3]))
        return key if str(key) == text else None
