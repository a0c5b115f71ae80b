"""What callers of our API are told of their time: by every answer, and before anything is begun."""

import pytest

from tests.shop import orders

NAMES = ("Grpc-Timeout", "Connect-Timeout-Ms", "X-Envoy-Expected-Rq-Timeout-Ms")


def spent_on(answer) -> set[str]:
    """What `Server-Timing` names."""
    return {part.split(";")[0] for part in answer.headers["server-timing"].split(", ")}


@pytest.mark.parametrize("header", [{NAMES[0]: "0m"}, {NAMES[1]: "0"}, {NAMES[2]: "0"}], ids=NAMES)
def test_a_spent_budget_is_refused_before_anybody_asks_whose_it_is(door, header):
    answer = door.http.post("/v1/exports", content=b"{", headers={"Authorization": "Bearer nobody", **header})

    assert (answer.status_code, answer.json()["code"]) == (504, "deadline_local")
    assert answer.json()["boundary"] == "ingress"
    assert spent_on(answer) == {"total", "budget", "left"}


@pytest.mark.parametrize("name", NAMES)
def test_a_deadline_that_cannot_be_read_is_named(alice, name):
    answer = alice("GET", "/v1/exports", headers={name: "1,5"})

    assert (answer.status_code, answer.json()["code"]) == (400, "parameter_invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [name]
    assert spent_on(answer) == {"total", "budget", "left"}


def test_less_time_than_a_call_needs_is_refused_with_what_it_needs(alice):
    answer = alice("GET", "/v1/exports", headers={"Connect-Timeout-Ms": "20"})

    assert (answer.status_code, answer.json()["code"], answer.json()["minimum_ms"]) == (503, "deadline_expired", 50)
    assert answer.headers["retry-after"] == "1"
    assert spent_on(answer) == {"total", "budget", "left"}


def test_probes_are_never_refused_for_the_little_time_they_have(door):
    answers = [door.http.get(path, headers={"Connect-Timeout-Ms": "30"}) for path in ("/livez", "/readyz", "/metrics")]

    assert 503 not in {answer.status_code for answer in answers}


def test_every_answer_says_where_its_time_went(door, alice):
    alice.load(orders(1))
    created = alice.create()

    of_a_write, of_a_read = spent_on(created), spent_on(alice("GET", created.headers["location"]))
    of_errors = [
        spent_on(answer)
        for answer in (
            door.http.get("/v1/exports"),
            door.http.get("/nowhere"),
            door.http.put("/v1/exports"),
            alice.create(),
            alice("POST", "/v1/exports", content=b"{"),
        )
    ]

    always = {"total", "budget", "left", "admission"}
    assert of_a_write == always | {"pool", "database", "announce"}
    assert of_a_read == always | {"pool", "database"}
    assert all(found >= always for found in of_errors)
