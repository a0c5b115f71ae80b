"""Signing in: who gets a session, what its cookie is, what ends it, and what no other page can do with it."""

import re

import pytest
from sqlalchemy import text

from app.database.stores import revoke_token
from app.web.attempts import MOST
from app.web.visitors import form_token_of
from tests.web.conftest import Browser

MINE = "/exports"
pytestmark = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)


def is_in(browser) -> bool:
    answer = browser("GET", "/sign-in")
    return answer.status_code == 303


def test_whoever_is_not_signed_in_is_led_to_it_and_back(door, browser, alice):
    sent_away = browser("GET", MINE)
    signed_in = browser.sign_in(alice.token, next=MINE)

    assert (sent_away.status_code, sent_away.headers["location"]) == (303, "/sign-in?next=%2Fexports")
    assert (signed_in.status_code, signed_in.headers["location"]) == (303, MINE)
    assert is_in(browser)
    assert browser("GET", "/").headers["location"] == MINE


@pytest.mark.parametrize(
    "elsewhere", ["//evil.example", "/\\evil.example", "https://evil.example", "/exports/../v1", ""]
)
def test_nobody_is_led_away_by_a_link(browser, alice, elsewhere):
    assert browser.sign_in(alice.token, next=elsewhere).headers["location"] == MINE
    assert browser("GET", f"/sign-in?next={elsewhere}").headers["location"] == MINE


@pytest.mark.parametrize(("headers", "name", "is_secure"), [
    ({}, "sheaf", False),
    ({"X-Forwarded-Proto": "https"}, "__Host-sheaf", True),
    ({"Forwarded": "for=1.2.3.4;proto=https"}, "__Host-sheaf", True),
    ({"Origin": "https://shop.example"}, "__Host-sheaf", True),
])  # fmt: skip
def test_the_cookie_is_out_of_reach_of_scripts_other_sites_and_plain_http(browser, alice, headers, name, is_secure):
    fields = {"token": alice.token, **browser.hidden("/sign-in")}

    answer = browser("POST", "/sign-in", data=fields, headers=headers)

    (cookie,) = answer.headers.get_list("set-cookie")
    assert cookie.startswith(f"{name}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert ("Secure" in cookie.split("; ")) is is_secure
    assert "Domain" not in cookie


def test_a_session_never_begins_with_a_cookie_that_was_there_before(door, browser, alice):
    browser.cookies["sheaf"] = "planted"

    browser.sign_in(alice.token)

    assert is_in(browser)
    assert browser.cookies["sheaf"] != "planted"
    assert not is_in(Browser(door, {"sheaf": "planted"}))


def test_neither_cookies_nor_tokens_are_kept_in_readable_form(door, hers, alice):
    with door.database.reading() as tx:
        rows = "".join(str(tuple(row)) for row in tx.execute(text("SELECT * FROM sessions")))

    assert rows
    assert hers.cookies["sheaf"] not in rows
    assert alice.token not in rows


def test_neither_tokens_nor_cookies_are_in_an_address_or_a_log(browser, alice, capsys):
    wrong = "sheaf_but-mistyped"

    answers = [browser.sign_in(wrong), browser.sign_in(alice.token, next=MINE), browser("GET", MINE)]

    told = "".join(capsys.readouterr()) + "".join(str(answer.headers.get("location")) for answer in answers)
    assert "route=/sign-in" in told
    assert [one for one in (wrong, alice.token, browser.cookies["sheaf"]) if one in told] == []


def test_a_session_ends_with_its_token_or_its_time(door, hers, alice):
    bobs = Browser(door)
    bobs.sign_in(door.owner("bob").token)
    assert is_in(hers)
    assert is_in(bobs)

    with door.database.transaction() as tx:
        revoke_token(tx, 1)
        tx.execute(text("UPDATE sessions SET expires_at = created_at WHERE token_id = 2"))

    assert not is_in(hers)
    assert not is_in(bobs)


def test_signing_out_ends_this_session_and_everywhere_all_of_the_owners(door, hers, alice):
    other, with_another_token, bobs = Browser(door), Browser(door), Browser(door)
    other.sign_in(alice.token)
    with_another_token.sign_in(door.owner("alice").token)
    bobs.sign_in(door.owner("bob").token)
    stolen = dict(hers.cookies)

    here = hers("POST", "/sign-out", data={"form_token": form_token_of(hers.cookies["sheaf"])})

    assert (here.status_code, hers.cookies) == (303, {})
    assert not is_in(Browser(door, stolen))
    assert is_in(other)
    other("POST", "/sign-out", data={"form_token": form_token_of(other.cookies["sheaf"]), "everywhere": "1"})
    assert not is_in(with_another_token)
    assert is_in(bobs)


def test_a_form_of_another_site_or_browser_does_nothing(door, hers, alice):
    mine, somebody_elses = form_token_of(hers.cookies["sheaf"]), form_token_of("another")

    answers = [
        hers("POST", "/sign-out", data={"everywhere": "1"}),
        hers("POST", "/sign-out", data={"form_token": somebody_elses}),
        hers("POST", "/sign-out", data={"form_token": mine}, headers={"Sec-Fetch-Site": "cross-site"}),
        hers("POST", "/sign-out", json={"form_token": mine}),
        Browser(door)("POST", "/sign-in", data={"token": alice.token}),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 403, 415, 403]
    assert all("form_stale" in answer.text for answer in (*answers[:3], answers[4]))
    assert is_in(hers)


def test_failed_sign_ins_of_an_address_are_bounded(door, browser, alice):
    refused = [browser.sign_in("sheaf_wrong") for _ in range(MOST)]
    shut_out = browser.sign_in(alice.token)

    assert {answer.status_code for answer in refused} == {403}
    assert "not valid here" in refused[0].text
    assert shut_out.status_code == 429
    assert 0 < int(shut_out.headers["retry-after"]) <= 60
    assert not is_in(browser)


def test_every_page_is_guarded_and_kept_by_nobody(browser):
    page = browser("GET", "/sign-in")
    lost = browser("GET", "/nowhere")
    (script,) = re.findall(r'<script type="module" src="([^"]+)"></script>', page.text)
    asset = browser("GET", script)

    for answer in (page, lost, asset):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
    assert page.headers["cache-control"] == lost.headers["cache-control"] == "no-store"
    assert "immutable" in asset.headers["cache-control"]
    assert not re.search(r"<script(?![^>]*src)|<style|\bstyle=|\bon\w+=", page.text)


def test_a_problem_is_a_page_for_people_and_json_for_programs(browser):
    page, data, of_the_api = (
        browser("GET", "/nowhere"),
        browser("GET", "/nowhere", headers={"Accept": "*/*"}),
        browser("GET", "/v1/exports"),
    )
    late = browser("GET", "/exports", headers={"Connect-Timeout-Ms": "0"})

    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no such thing here" in page.text
    assert (data.status_code, data.json()["code"]) == (404, "not_found")
    assert of_the_api.json()["code"] == "unauthenticated"
    assert (late.status_code, late.headers["content-type"]) == (504, "text/html; charset=utf-8")
