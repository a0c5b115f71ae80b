"""Only the owner, fail-closed: what is not yours looks exactly like what does not exist."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from app.database.stores import revoke_token
from app.domain.principal import Right
from tests.shop import orders

ROUTES = [
    ("GET", ""),
    ("HEAD", "/archive"),
    ("GET", "/archive"),
    ("GET", "/events"),
    ("GET", "/failures"),
    ("GET", "/manifest"),
    ("POST", "/cancel"),
    ("POST", "/retry"),
    ("DELETE", ""),
]


@pytest.fixture
def foreign(door, alice):
    """An export of Alice's, as others must not see it."""
    alice.load(orders(1))
    return alice.create().json()["id"]


@pytest.mark.parametrize(("method", "rest"), ROUTES)
@pytest.mark.parametrize("other", [("bob", "demo"), ("alice", "elsewhere")])
def test_a_foreign_id_is_answered_like_an_unknown_one(door, alice, foreign, method, rest, other):
    stranger = door.owner(*other)

    answers = [stranger(method, f"/v1/exports/{one}{rest}") for one in (foreign, uuid4(), "no-uuid", "0")]

    assert [answer.status_code for answer in answers] == [404] * 4
    assert len({answer.content for answer in answers}) == 1
    if method != "HEAD":
        assert answers[0].json()["code"] == "not_found"
    assert alice("GET", f"/v1/exports/{foreign}").json()["state"] == "queued"


def test_a_list_shows_the_owners_exports_only(door, alice, foreign):
    bob, namesake = door.owner("bob"), door.owner("alice", "elsewhere")

    assert [row["id"] for row in alice("GET", "/v1/exports").json()["items"]] == [foreign]
    assert bob("GET", "/v1/exports").json() == namesake("GET", "/v1/exports").json() == {"items": [], "next": None}


def test_a_cursor_of_another_owner_or_list_is_refused(door, alice):
    bob = door.owner("bob")
    for caller in (alice, bob):
        caller.load(orders(3))
        for _ in range(3):
            export = caller.create().json()
            caller("POST", export["links"]["cancel"])
    page = alice("GET", "/v1/exports?limit=2").json()["next"]

    assert len(alice("GET", page).json()["items"]) == 1
    assert bob("GET", page).json()["code"] == "cursor_invalid"
    assert alice("GET", f"{page}&state=queued").json()["code"] == "cursor_invalid"


@pytest.mark.parametrize("path", ["/v1/exports", f"/v1/exports/{UUID(int=7)}", "/v1/exports/no-uuid/archive"])
def test_without_a_valid_token_there_is_nothing(door, path):
    for header in (None, "", "Bearer", "Bearer nonsense", "Basic YWxpY2U6eA==", f"Bearer {'x' * 5000}"):
        answer = door.http.get(path, headers={} if header is None else {"Authorization": header})

        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), header
        assert answer.headers["www-authenticate"] == "Bearer"


def test_a_revoked_or_expired_token_is_no_token(door, alice, foreign):
    bob = door.owner("bob")
    with door.database.transaction() as tx:
        revoke_token(tx, 1)
        tx.execute(text("UPDATE tokens SET expires_at = created_at WHERE owner = 'bob'"))

    asked = [caller("GET", path) for caller in (alice, bob) for path in ("/v1/exports", f"/v1/exports/{foreign}")]
    assert [answer.status_code for answer in asked] == [401] * 4
    assert {answer.json()["code"] for answer in asked} == {"unauthenticated"}


def test_no_token_is_kept_in_readable_form(door, alice):
    with door.database.reading() as tx:
        rows = [str(row) for row in tx.execute(text("SELECT * FROM tokens"))]

    assert alice.token not in "".join(rows)


def test_a_token_is_in_no_log_and_no_answer_wherever_it_was_put(door, alice):
    """Where a proxy strips `Authorization` people put their token into the address."""
    secret = alice.token

    with capture_logs() as logged:
        strangers = [
            door.http.get(f"/v1/exports?token={secret}&access_token={secret}"),
            door.http.get(f"/v1/exports/{secret}"),
            door.http.get("/v1/exports", headers={"Authorization": f"Basic {secret}"}),
            door.http.post("/v1/exports", headers={"Authorization": f"Token {secret}"}, json={"selection": secret}),
        ]
        known = [alice("GET", f"/v1/exports/{secret}"), alice("GET", f"/v1/exports?state={secret}")]

    assert [answer.status_code for answer in strangers] == [401] * 4
    assert [answer.status_code for answer in known] == [404, 400]
    told = [f"{answer.headers}{answer.text}" for answer in (*strangers, *known)]
    assert len(logged) >= len(told)
    assert secret not in f"{logged}{told}"


def test_a_right_that_a_later_release_gave_is_none_here_and_takes_no_other_away(door, alice):
    with door.database.transaction() as tx:
        tx.execute(text("UPDATE tokens SET rights = 'exports,later'"))

    assert alice("GET", "/v1/exports").status_code == 200
    assert alice("POST", "/v1/orders/import", json=orders(1)).json()["code"] == "right_missing"


def test_a_token_for_exports_only_imports_nothing(door):
    reader = door.owner("carol", "demo", Right.EXPORTS)

    answer = reader("POST", "/v1/orders/import", json=orders(1))

    assert (answer.status_code, answer.json()["code"]) == (403, "right_missing")
    assert reader.create().json()["code"] == "selection_empty"
