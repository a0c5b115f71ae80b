"""The names of artifacts. A key ends in step and attempt, so no writer can meet another's object."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ArtifactKey:
    """`<job id>/<step id>-<attempt>`."""

    job_id: UUID
    step_id: int
    attempt: int

    def __str__(self) -> str:
        return f"{self.job_id}/{self.step_id}-{self.attempt}"

    @classmethod
    def parse(cls, text: str) -> "ArtifactKey | None":
        """The key that this text is, or None for anything that we did not name."""
        job, _, rest = text.partition("/")
        step, _, attempt = rest.partition("-")
        try:
            key = cls(UUID(job), int(step), int(attempt))
        except ValueError:
            return None
        return key if str(key) == text else None
