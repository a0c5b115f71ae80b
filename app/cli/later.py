"""Groups of commands that are loaded when one of them is asked for: help on all of them needs none."""

from collections.abc import MutableMapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, cast

import typer
from typer.core import TyperGroup
from typer.main import get_group_from_info
from typer.models import TyperInfo

if TYPE_CHECKING:
    from typer._click import Command


def later(module: str) -> typer.Typer:
    """A group with the commands of the `app` of this module."""

    class Later(_Later):
        room = module

    return typer.Typer(cls=Later, no_args_is_help=True)


class _Later(TyperGroup):
    room: str

    # the library reads its groups' commands here and nowhere else
    @property
    def commands(self) -> "MutableMapping[str, Command]":
        """The module's commands by name; loads it."""
        return self._inside.commands

    @commands.setter
    def commands(self, _none_yet: "MutableMapping[str, Command]") -> None:
        """Nothing: what there is, the module says."""

    @cached_property
    def _inside(self) -> TyperGroup:
        return get_group_from_info(
            TyperInfo(cast("typer.Typer", import_module(self.room).app)),
            pretty_exceptions_short=False,
            suggest_commands=self.suggest_commands,
            rich_markup_mode=self.rich_markup_mode,
        )
