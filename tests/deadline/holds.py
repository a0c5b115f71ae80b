"""A COMMIT that was sent and is not acknowledged: what every way to hold one can do."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from tests.deadline.racing import Api, Asked


class Hold(ABC):
    """Holds the next COMMIT of a write from `with` on, until it is told to let go."""

    is_committed: bool | None
    """What is true in the end if its caller is cut off; None if that is the server's affair."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        try:
            if kind is None:
                self.settle()
        finally:
            self.let_go()

    @abstractmethod
    def take(self) -> None:
        """Hold what comes."""

    @abstractmethod
    def until_held(self) -> None:
        """Return when a COMMIT is certainly held."""

    @abstractmethod
    def until_behind(self, later: Asked) -> None:
        """Return when a later write certainly waits for the one that is held."""

    @abstractmethod
    def let_go(self) -> None:
        """Let it go on; twice is harmless."""

    @abstractmethod
    def settle(self) -> None:
        """Return when what was held has ended, one way or the other."""
