"""From where a request comes, as far as that can be believed."""

from collections.abc import Sequence
from ipaddress import ip_address

from starlette.requests import Request

from app.deadline.ingress import Network


def peer_of(request: Request, trusted: Sequence[Network]) -> str:
    """The nearest address that is no trusted proxy's; each of them vouches for the one before it."""
    hops = [hop.strip() for hop in request.headers.get("x-forwarded-for", "").split(",") if hop.strip()]
    peer = request.client.host if request.client else ""
    while hops and _is_among(peer, trusted):
        peer = hops.pop()
    return peer[:64]


def _is_among(address: str, networks: Sequence[Network]) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return any(found in network for network in networks)
