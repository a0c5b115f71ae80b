"""A store's own style: any rule, as long as it asks for nothing but the store's logo."""

from collections.abc import Iterable
from typing import Any, Final

import tinycss2  # type: ignore[import-untyped]

from app.documents.ours import LOGO_URL
from app.documents.own import TOO_DEEP, OwnTemplateFailed

_LOADING: Final = frozenset({"import", "font-face", "namespace", "color-profile"})
"""Rules that are there to load something."""


class OwnStyleFailed(OwnTemplateFailed):
    """A store's own style cannot be read, or would load something."""


def check_style(css: str) -> None:
    """Raise `OwnStyleFailed` for a style sheet that cannot be read, or that would load something."""
    try:
        _check(css)
    except RecursionError:
        raise OwnStyleFailed(TOO_DEEP) from None


def _check(css: str) -> None:
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if rule.type == "error":
            raise OwnStyleFailed(rule.message, rule.source_line)
        if rule.type == "at-rule" and rule.lower_at_keyword in _LOADING:
            raise OwnStyleFailed(f"@{rule.lower_at_keyword} loads something: nothing is fetched", rule.source_line)
        _check_tokens((*rule.prelude, *(rule.content or ())))


def _check_tokens(tokens: Iterable[Any]) -> None:
    for token in tokens:
        if token.type == "error":
            raise OwnStyleFailed(token.message, token.source_line)
        if token.type == "url":
            _check_address(token.value, token.source_line)
        if token.type == "function" and token.lower_name in {"url", "src", "image", "image-set"}:
            for value in token.arguments:
                if value.type == "string":
                    _check_address(value.value, token.source_line)
        if token.type == "at-keyword" and token.lower_value in _LOADING:
            raise OwnStyleFailed(f"@{token.lower_value} loads something: nothing is fetched", token.source_line)
        _check_tokens(getattr(token, "arguments", ()) or ())
        _check_tokens(getattr(token, "content", ()) or ())


def _check_address(address: str, line: int) -> None:
    if address != LOGO_URL:
        raise OwnStyleFailed(f"url() takes {LOGO_URL} only: nothing is fetched", line)
