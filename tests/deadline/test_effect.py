"""The effect slot says what is true of a write at each moment, and never more."""

from collections.abc import Callable

import pytest

from app.deadline.answer import Answer
from app.deadline.effect import Effect, Phase

UNKNOWN = Answer(504, (), b"perhaps")
DONE = Answer(202, (), b"yes")

EVENTS: dict[str, Callable[[Effect], None]] = {
    "stage": lambda effect: effect.stage(unknown=UNKNOWN, done=DONE),
    "sent": Effect.sent,
    "acknowledged": Effect.acknowledged,
    "refused": Effect.refused,
}
TO: dict[Phase, dict[str, Phase]] = {
    # a read's COMMIT says nothing
    Phase.EMPTY: {"stage": Phase.STAGED},
    Phase.STAGED: {"sent": Phase.SENT, "refused": Phase.EMPTY},
    Phase.SENT: {"acknowledged": Phase.ACKNOWLEDGED, "refused": Phase.EMPTY, "stage": Phase.STAGED},
    # nothing that comes after it takes it back
    Phase.ACKNOWLEDGED: {"stage": Phase.STAGED},
}
PATHS = {
    Phase.EMPTY: [],
    Phase.STAGED: ["stage"],
    Phase.SENT: ["stage", "sent"],
    Phase.ACKNOWLEDGED: ["stage", "sent", "acknowledged"],
}
SAYS = {Phase.EMPTY: None, Phase.STAGED: None, Phase.SENT: UNKNOWN, Phase.ACKNOWLEDGED: DONE}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("phase", Phase)
def test_every_event_in_every_phase_says_what_is_true(phase, event):
    effect = Effect()
    for earlier in PATHS[phase]:
        EVENTS[earlier](effect)

    EVENTS[event](effect)

    after = TO[phase].get(event, phase)
    assert (effect.phase, effect.answer, effect.is_unknown) == (after, SAYS[after], after is Phase.SENT)
