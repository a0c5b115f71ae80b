"""A store's own template: filled in a sandbox that reads no file, runs no code and ends."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from jinja2 import DictLoader, StrictUndefined, Template, TemplateSyntaxError, meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.documents.ours import LOGO_URL, text_of
from app.documents.view import DocumentView

MAX_HTML: Final = 16 << 20
"""Characters of a filled template; 5,000 lines of ours have two millions."""

TOO_DEEP: Final = "it is nested too deeply"

VARIABLES: Final = frozenset({"view", "logo_url"})

_OURS: Final = ("frame/frame.html", "frame/lines.html", "frame/priced.html")
"""What an own template may extend or import: text of ours, held in memory."""

# Nothing may make markup of an order's text, and nothing may differ from one filling to the next.
_FILTERS_LEFT_OUT: Final = ("safe", "urlize", "tojson", "pprint", "random", "xmlattr")
_GLOBALS_LEFT_OUT: Final = ("lipsum",)


class OwnTemplateFailed(Exception):
    """A store's own template cannot be read or filled; `line` is counted from 1, and None where nobody knows."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.reason = reason
        self.line = line


class _Kitchen(ImmutableSandboxedEnvironment):
    """Numbers may be multiplied, texts and lists not: `"x" * 10**9` would be a gigabyte."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" or not isinstance(left, int | float) or not isinstance(right, int | float):
            raise SecurityError(f"`{operator}` takes numbers, and no powers are raised here")
        return super().call_binop(context, operator, left, right)


def _kitchen() -> _Kitchen:
    texts = {name: text_of(name) for name in _OURS}
    kitchen = _Kitchen(
        loader=DictLoader(texts), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    for name in _FILTERS_LEFT_OUT:
        del kitchen.filters[name]
    for name in _GLOBALS_LEFT_OUT:
        del kitchen.globals[name]
    return kitchen


_KITCHEN: Final = _kitchen()


def filled(html: str, view: DocumentView) -> str:
    """The template filled with a document; raises `OwnTemplateFailed`."""
    try:
        return "".join(_bounded(_compiled(html).generate(view=view, logo_url=LOGO_URL)))
    except TemplateSyntaxError as error:
        raise OwnTemplateFailed(error.message or "it cannot be read", error.lineno) from None
    except (OwnTemplateFailed, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 a template may provoke any: calls of methods are its own
        raise OwnTemplateFailed(str(error), _line_of(error)) from None


def check_template(html: str) -> None:
    """Look at a template without filling it; raises `OwnTemplateFailed` with the line of what is wrong.

    What is constant in a template is worked out here, so a hostile one may take any time and memory already now.
    """
    try:
        _check(html)
    except TemplateSyntaxError as error:
        raise OwnTemplateFailed(error.message or "it cannot be read", error.lineno) from None
    except (RecursionError, SyntaxError):
        # too deep for Jinja's parser, or for Python's, which reads what Jinja made of it
        raise OwnTemplateFailed(TOO_DEEP) from None


def _check(html: str) -> None:
    tree = _KITCHEN.parse(html)
    _KITCHEN.from_string(html)  # unknown filters and tests show only here
    for switch in tree.find_all((nodes.EvalContextModifier, nodes.MarkSafe, nodes.MarkSafeIfAutoescape)):
        raise OwnTemplateFailed("escaping cannot be switched off: an order's text is text", switch.lineno)
    unknown = meta.find_undeclared_variables(tree) - VARIABLES - set(_KITCHEN.globals)
    for name in tree.find_all(nodes.Name):
        if name.name in unknown:
            raise OwnTemplateFailed(f"there is no “{name.name}”; what there is begins with “view.”", name.lineno)
    for part in tree.find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)):
        if not _is_ours(part):
            raise OwnTemplateFailed(f"only {', '.join(_OURS)} can be extended or imported", part.lineno)


def _is_ours(part: nodes.Node) -> bool:
    name = getattr(part, "template", None)
    return isinstance(name, nodes.Const) and name.value in _OURS


@lru_cache(maxsize=8)
def _compiled(html: str) -> Template:
    return _KITCHEN.from_string(html)


def _bounded(pieces: Iterable[str]) -> Iterator[str]:
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_HTML:
            raise OwnTemplateFailed(f"it makes more than {MAX_HTML} characters of one document")
        yield piece


def _line_of(error: BaseException) -> int | None:
    """The template's line in a traceback, which Jinja writes so that it tells it; of parts of ours there is none."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
