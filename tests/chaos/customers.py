"""Customers: each wants one export after the other, asks again with the same key, and trusts nothing."""

import hashlib
import random
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, Final

import httpx

from tests.chaos.journal import Journal
from tests.chaos.script import SELECTIONS, Errand

BACK_OFF: Final = (0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds before a call is repeated, on average; the last again and again."""
UNANSWERED: Final = frozenset({503, 504})
"""Answers that promise nothing: ask again."""
TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})


class GaveUp(Exception):
    """The run is over and the customer still has no answer."""


@dataclass(slots=True)
class Case:
    """What a customer knows of one export."""

    errand: Errand
    owner: str
    id: str = ""
    """Known once it was accepted."""
    asked_again: int = 0
    """Calls about it that got no answer or none that decides."""
    was_cancelled: bool = False
    """Whether its cancel was accepted."""
    final: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""
    """Of the bytes that were downloaded."""

    @property
    def name(self) -> str:
        """Its id, or its key until it was accepted."""
        return self.id or self.errand.key


@dataclass
class Customer:
    """One owner, in a thread of its own."""

    name: str
    token: str
    errands: Iterable[Errand]
    address: Callable[[], str]
    journal: Journal
    chance: random.Random
    pause: float
    """Seconds between two looks at an export, on average."""
    cases: list[Case] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    """Set when no new export is wanted."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when nobody waits any more."""
    thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._live, name=self.name, daemon=True)

    def _live(self) -> None:
        with httpx.Client(headers={"Authorization": f"Bearer {self.token}"}, timeout=15) as http:
            for errand in self.errands:
                if self.closing.is_set():
                    return
                case = Case(errand, self.name)
                self.cases.append(case)
                try:
                    self._run(http, case)
                except GaveUp:
                    self.journal.violated("no answer until the end of the run", job=case.name)
                    return
                except Exception as error:  # noqa: BLE001 - whatever surprises a customer is a finding
                    self.journal.violated(f"a customer met {type(error).__name__}: {error}", job=case.name)
                    return

    def _run(self, http: httpx.Client, case: Case) -> None:
        body = SELECTIONS[case.errand.selection][1]
        created = self._insist(
            http, case, "POST", "/v1/exports", json=body, headers={"Idempotency-Key": case.errand.key}
        )
        self._expect(case, created, 202)
        case.id = created.json()["id"]
        self.journal.note(self.name, f"accepted, {case.asked_again} times asked again", job=case.id)
        if case.errand.cancel_after is not None:
            time.sleep(case.errand.cancel_after)
            answer = self._insist(http, case, "POST", f"/v1/exports/{case.id}/cancel")
            self._expect(case, answer, 202, 409)
            case.was_cancelled = answer.status_code == 202
            self.journal.note(self.name, f"cancel: {answer.status_code}", job=case.id)
        case.final = self._follow(http, case)
        self.journal.note(self.name, f"is told {case.final['state']}", job=case.id)
        if case.final["state"] == "completed":
            archive = self._insist(http, case, "GET", f"/v1/exports/{case.id}/archive")
            self._expect(case, archive, 200)
            case.sha256 = hashlib.sha256(archive.content).hexdigest()

    def _follow(self, http: httpx.Client, case: Case) -> dict[str, Any]:
        """Look until it has ended; what is told never goes back."""
        revision = 0
        while True:
            answer = self._insist(http, case, "GET", f"/v1/exports/{case.id}")
            self._expect(case, answer, 200)
            export: dict[str, Any] = answer.json()
            if export["revision"] < revision:
                self.journal.violated(f"revision {revision} was followed by {export['revision']}", job=case.id)
            revision = export["revision"]
            if export["state"] in TERMINAL:
                return export
            self._wait(self.pause * self.chance.uniform(0.5, 1.5))

    def _insist(self, http: httpx.Client, case: Case, method: str, path: str, **options: Any) -> httpx.Response:
        """Ask until there is an answer that decides."""
        for pause in chain(BACK_OFF, repeat(BACK_OFF[-1])):
            try:
                answer = http.request(method, f"{self.address()}{path}", **options)
            except httpx.TransportError as error:
                self.journal.note(self.name, f"{method} {path[:11]}… {type(error).__name__}", job=case.name)
            else:
                if answer.status_code not in UNANSWERED:
                    return answer
                code = answer.json().get("code")
                self.journal.note(self.name, f"{method} {path[:11]}… {answer.status_code} {code}", job=case.name)
            case.asked_again += 1
            self._wait(pause * self.chance.uniform(0.5, 1.5))
        raise AssertionError("the pauses have no end")

    def _wait(self, seconds: float) -> None:
        if self.gone.wait(seconds):
            raise GaveUp

    def _expect(self, case: Case, answer: httpx.Response, *statuses: int) -> None:
        if answer.status_code not in statuses:
            what = f"{answer.request.method} {answer.request.url.path} was answered {answer.status_code}"
            raise UnexpectedAnswer(f"{what}: {answer.text[:300]}")


class UnexpectedAnswer(Exception):
    """An answer that the contract does not have for this moment."""
