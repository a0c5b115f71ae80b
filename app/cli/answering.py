"""`--json`: one object on standard output, or one a line where there are many, and errors as problems."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output; errors are one on the other.")]
JsonLines = Annotated[
    bool, typer.Option("--json", help="JSON on standard output, an object a line; errors are one on the other.")
]


def wants_json(arguments: list[str]) -> bool:
    """Whether a program reads what comes; asked before the arguments are read, since they may be what is wrong."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def put(document: Mapping[str, Any], *, err: bool = False) -> None:
    """Print one object on a line of its own."""
    typer.echo(json.dumps(document, ensure_ascii=False, default=str), err=err)
