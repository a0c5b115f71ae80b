"""The console in this process, as browsers see it: each has a cookie of its own."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import SimpleCookie

import pytest

from tests.api.conftest import Caller, Door, alice, door

__all__ = ["alice", "door"]


class Fields(HTMLParser):
    """The hidden fields of a page's forms, and the text of its headings."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.hidden: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "input" and found.get("type") == "hidden":
            self.hidden[found["name"] or ""] = found["value"] or ""


@dataclass
class Browser:
    """Somebody's browser: it keeps its cookie, sends what browsers send, and follows nothing by itself."""

    door: Door
    cookies: dict[str, str] = field(default_factory=dict)

    def __call__(self, method: str, path: str, **options):
        headers = {"Accept": "text/html", **options.pop("headers", {})}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        http = self.door.http
        http.cookies.clear()
        answer = http.request(method, path, headers=headers, follow_redirects=False, **options)
        http.cookies.clear()
        for sent in answer.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(sent).items():
                if morsel["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value
        return answer

    def look(self, path: str) -> str:
        answer = self("GET", path)
        assert answer.status_code == 200, (answer.status_code, answer.headers.get("location"), answer.text)
        return answer.text

    def hidden(self, path: str) -> dict[str, str]:
        """The hidden fields of a page."""
        return Fields(self.look(path)).hidden

    def post(self, path: str, fields=(), *, of: str = "/exports", **options):
        """Send a form with the token that the page `of` gives."""
        pairs = list(fields.items()) if isinstance(fields, dict) else list(fields)
        data = {"form_token": [self.hidden(of)["form_token"]]}
        for name, value in pairs:
            data.setdefault(name, []).append(value)
        return self("POST", path, data=data, **options)

    def sign_in(self, token: str, **fields):
        return self.post("/sign-in", {"token": token, **fields}, of="/sign-in")


@pytest.fixture
def browser(door) -> Browser:
    """Nobody's yet."""
    return Browser(door)


@pytest.fixture
def hers(door, alice: Caller) -> Browser:
    """Alice's, signed in."""
    browser = Browser(door)
    assert browser.sign_in(alice.token).status_code == 303
    return browser
