"""What many tests share and takes seconds to start: the first that asks starts it, and it ends when no more ask.

A fixture of the session's scope would end with the session, and idle through all tests that come in between.
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


@dataclass
class _Held:
    """What one fixture has started."""

    folders: Collection[Path]
    stack: ExitStack = field(default_factory=ExitStack)
    started: dict[str, Any] = field(default_factory=dict)


_HELD = pytest.StashKey[dict[str, _Held]]()


def lasting(
    request: pytest.FixtureRequest,
    start: Callable[[], AbstractContextManager[T]],
    *,
    kind: str = "",
    folders: Collection[Path] = (),
) -> T:
    """What this fixture started for an earlier test, or starts now.

    It ends before the first test that does not use the fixture, or is in none of the folders where many do.
    """
    held = request.config.stash.setdefault(_HELD, {})
    name = str(request.fixturename)
    if name not in held:
        held[name] = _Held(folders)
        # for a session that is interrupted
        request.config.add_cleanup(lambda: end_unused(request.config, None))
    one = held[name]
    if kind not in one.started:
        one.started[kind] = one.stack.enter_context(start())
    found: T = one.started[kind]
    return found


def end_unused(config: pytest.Config, nextitem: pytest.Item | None) -> None:
    """End what the next test has no use for."""
    held = config.stash.get(_HELD, {})
    used = set(getattr(nextitem, "fixturenames", ()))
    for name, one in tuple(held.items()):
        if name not in used and (nextitem is None or nextitem.path.parent not in one.folders):
            del held[name]
            one.stack.close()
