"""Conditional requests (RFC 9110, section 13): entity tags in headers, and those that are numbers of versions."""


def is_named(etag: str, if_none_match: str | None) -> bool:
    """Whether an `If-None-Match` names this tag; weak ones count as if they were strong."""
    return if_none_match is not None and etag in {part.strip().removeprefix("W/") for part in if_none_match.split(",")}


def expected_numbers(if_match: str | None) -> set[int] | None:
    """The numbers that an `If-Match` allows; None if it allows every one. What is no tag of ours allows none."""
    if if_match is None or if_match.strip() == "*":
        return None
    # compared strongly: a weak tag matches nothing
    tags = (part.strip() for part in if_match.split(","))
    numbers = (tag[1:-1] for tag in tags if len(tag) > 2 and tag[0] == tag[-1] == '"')
    return {int(number) for number in numbers if number.isascii() and number.isdigit() and len(number) < 10}
