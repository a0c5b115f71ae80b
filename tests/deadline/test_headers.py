"""What callers and proxies send: a number of seconds, or a refusal that says why; nothing else."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.deadline.arrival import queued_before_us
from app.deadline.budget import Budget
from app.deadline.headers import HeaderMalformed, asked_seconds, ingress_budget

GRPC, CONNECT, ENVOY = b"grpc-timeout", b"connect-timeout-ms", b"x-envoy-expected-rq-timeout-ms"
SPELT = {
    GRPC: "Grpc-Timeout",
    CONNECT: "Connect-Timeout-Ms",
    ENVOY: "X-Envoy-Expected-Rq-Timeout-Ms",
}
NAMES = st.sampled_from(list(SPELT))
ANY_VALUE = st.binary(max_size=60) | st.from_regex(
    rb"[ \t]?[-+]?\d{0,12}[., ]?\d{0,3}[HMSmunse]?[ \t]?", fullmatch=True
)
MILLISECONDS = st.integers(0, 9_999_999_999)

MALFORMED = [
    b"",
    b" ",
    b"-1",
    b"+1",
    b"1 0",
    b"1,2",
    b"1.5",
    b"1e3",
    b"1_0",
    b"0x1",
    b"\xb2",
    "\u0663".encode(),
    b"\x001",
    b"1\n",
    b"inf",
    b"nan",
    b"12345678901",
]


def asked_or_refused(headers):
    try:
        return asked_seconds(headers)
    except HeaderMalformed as malformed:
        return malformed


@given(st.lists(st.tuples(NAMES | st.binary(max_size=30), ANY_VALUE), max_size=6))
def test_whatever_is_sent_is_a_time_or_a_refusal(headers):
    asked = asked_or_refused(headers)

    match asked:
        case HeaderMalformed():
            assert asked.header in SPELT.values()
            assert asked.reason.isprintable()
        case None:
            assert not SPELT.keys() & dict(headers).keys()
        case _:
            assert 0.0 <= asked < inf


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"2H", 7200.0),
        (b"2M", 120.0),
        (b"2S", 2.0),
        (b"800m", 0.8),
        (b"2u", 0.000002),
        (b"2n", 0.000000002),
        (b"0n", 0.0),
        (b"00000003m", 0.003),
        (b"99999999H", 359_999_996_400.0),
        (b"\t 5S ", 5.0),
    ],
)
def test_grpc_units_are_told_apart(value, seconds):
    assert asked_seconds([(GRPC, value)]) == seconds


@given(st.sampled_from([CONNECT, ENVOY]), MILLISECONDS)
def test_milliseconds_are_milliseconds(name, milliseconds):
    assert asked_seconds([(name, b"%d" % milliseconds)]) == milliseconds / 1000


@given(st.lists(st.tuples(st.sampled_from([CONNECT, ENVOY]), MILLISECONDS), min_size=1, max_size=6), MILLISECONDS)
def test_the_smallest_wins_however_often_a_header_is_sent(asked, grpc):
    headers = [(b"host", b"1"), *((name, b"%d" % milliseconds) for name, milliseconds in asked)]
    headers.append((GRPC, b"%dm" % (grpc % 10**8)))

    seconds = asked_seconds(headers)

    assert seconds == min(grpc % 10**8, *(milliseconds for _, milliseconds in asked)) / 1000


def test_who_asks_for_nothing_gets_no_time():
    assert asked_seconds([]) is None
    assert asked_seconds([(b"timeout", b"1"), (b"grpc-timeout-ms", b"x")]) is None


@pytest.mark.parametrize("name", SPELT)
@pytest.mark.parametrize("value", MALFORMED)
def test_what_breaks_the_grammar_is_refused_by_name(name, value):
    unit = b"m" if name == GRPC and value.strip() else b""

    # a good one beside it does not help
    with pytest.raises(HeaderMalformed) as caught:
        asked_seconds([(CONNECT, b"1"), (name, value + unit)])

    assert caught.value.header == SPELT[name]
    assert caught.value.reason in str(caught.value)


@pytest.mark.parametrize("value", [b"1", b"m", b"1s", b"1h", b"1 m", b"m1", b"1ms", b"123456789m"])
def test_a_grpc_timeout_needs_up_to_eight_digits_and_a_unit(value):
    with pytest.raises(HeaderMalformed, match="Grpc-Timeout: Takes 1 to 8 digits and one of H M S m u n"):
        asked_seconds([(GRPC, value)])


@given(NAMES, st.binary(min_size=40, max_size=200).map(lambda noise: b"@" + noise))
def test_a_refusal_repeats_little_of_what_was_sent(name, value):
    with pytest.raises(HeaderMalformed) as caught:
        asked_seconds([(name, value)])

    echo = caught.value.reason.partition('"')[2].removesuffix('".')
    assert len(echo) <= 40
    assert echo.isascii()
    assert echo.isprintable()


@given(st.none() | st.floats(0, 1e12), st.floats(0, 1e12) | st.just(inf), st.floats(0, 1e9))
def test_a_budget_is_what_was_asked_for_clamped_to_the_routes_maximum(asked, maximum, now):
    budget = ingress_budget(asked, maximum=maximum, now=now)

    assert budget == Budget(now + min(maximum if asked is None else asked, maximum))
    assert budget.is_spent(now) == (budget.cutoff == now)


NOW = 1_790_000_000.5


@pytest.mark.parametrize(
    "value",
    [
        b"t=1790000000.250",
        b"1790000000.25",
        b"t=1790000000250",
        b"1790000000250",
        b"t=1790000000250000",
        b" 1790000000250000 ",
    ],
)
def test_the_unit_of_an_arrival_is_told_by_its_size(value):
    assert queued_before_us(value, wall_now=NOW) == pytest.approx(0.25, abs=1e-6)


@pytest.mark.parametrize(
    "value",
    [
        b"t=1789999995.4",  # 5.1 s ago
        b"t=1790000000.6",  # to come
        b"t=1790000000250000000",  # nanoseconds
        b"t=1790000000.25 t=1",
        b"T=1790000000.25",
        b"-1790000000.25",
        b"t=1.79e9",
        b"t=",
        b"",
        b"1790000000.",
        b"nan",
        b"\xff",
        "\u0661\u0667\u0669\u0660\u0660\u0660\u0660\u0660\u0660\u0660".encode(),
    ],
)
def test_an_arrival_that_cannot_be_true_is_ignored(value):
    assert queued_before_us(value, wall_now=NOW) is None


def test_the_bounds_of_a_queue_are_included():
    assert queued_before_us(b"1790000000", wall_now=1_790_000_000.0) == 0.0
    assert queued_before_us(b"1790000000", wall_now=1_790_000_005.0) == 5.0


@given(
    st.binary(max_size=40) | st.from_regex(rb"(t=)?\d{1,20}(\.\d{0,10})?", fullmatch=True),
    st.floats(),
)
@example(b"t=99999999999999999", 0.0)
def test_no_arrival_is_an_error(value, wall_now):
    spent = queued_before_us(value, wall_now=wall_now)

    assert spent is None or 0.0 <= spent <= 5.0


@given(st.integers(10**15, 4 * 10**15))
def test_units_agree_with_each_other(microseconds):
    forms = [b"%d" % microseconds, b"%d" % (microseconds // 10**3), b"%d.%06d" % divmod(microseconds, 10**6)]

    spent = [queued_before_us(form, wall_now=microseconds / 10**6 + 1) for form in forms]

    assert all(abs(one - other) <= 0.001001 for one, other in pairwise(spent))
