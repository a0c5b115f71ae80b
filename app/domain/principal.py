"""Who asks: the owner that a token stands for, and what it may do."""

from dataclasses import dataclass
from enum import StrEnum


class Right(StrEnum):
    """What a token allows beyond reading its owner's own exports."""

    EXPORTS = "exports"
    ORDERS = "orders"
    SETTINGS = "settings"
    """To change what stands on every document of the store, the bank account included: given by name only."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The pair that every job, check, index and key uses."""

    store_id: int
    store: str
    name: str


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated owner with its rights; handlers never see a token."""

    owner: Owner
    rights: frozenset[Right]

    def may(self, right: Right) -> bool:
        """Whether this principal holds `right`."""
        return right in self.rights
