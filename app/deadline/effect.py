"""The effect slot: what to answer when the time ends around a COMMIT.

A write whose COMMIT was sent and not acknowledged may have happened. To call it a failure would be a
guess, so the handler says before the COMMIT what is true either way, and what is true once it is known:

    empty → staged → sent → acknowledged
              ↓        ↓
            empty ← refused
"""

from enum import Enum, auto

from app.deadline.answer import Answer


class Phase(Enum):
    """How far a write has come."""

    EMPTY = auto()
    STAGED = auto()
    SENT = auto()
    ACKNOWLEDGED = auto()


class Effect:
    """One request's write. The handler stages it; the adapter of the database moves it on."""

    def __init__(self) -> None:
        self.phase = Phase.EMPTY
        self._unknown: Answer | None = None
        self._done: Answer | None = None

    def stage(self, *, unknown: Answer, done: Answer) -> None:
        """Say what to answer if the coming COMMIT stays unacknowledged, and what if it is acknowledged.

        To be called as the last act inside the transaction.
        """
        self.phase, self._unknown, self._done = Phase.STAGED, unknown, done

    def sent(self) -> None:
        """COMMIT goes out now: from here on nobody knows."""
        if self.phase is Phase.STAGED:
            self.phase = Phase.SENT

    def acknowledged(self) -> None:
        """The COMMIT was acknowledged."""
        if self.phase is Phase.SENT:
            self.phase = Phase.ACKNOWLEDGED

    def refused(self) -> None:
        """The write surely did not happen: the COMMIT was not sent, or the database said no."""
        if self.phase is not Phase.ACKNOWLEDGED:
            self.phase, self._unknown, self._done = Phase.EMPTY, None, None

    @property
    def is_unknown(self) -> bool:
        """Whether a COMMIT was sent and not acknowledged."""
        return self.phase is Phase.SENT

    @property
    def answer(self) -> Answer | None:
        """What is true now; None while the slot says nothing."""
        match self.phase:
            case Phase.SENT:
                return self._unknown
            case Phase.ACKNOWLEDGED:
                return self._done
            case _:
                return None
