"""`Repr-Digest` (RFC 9530): what a whole file must hash to, for whoever fetched it."""

import base64


def repr_digest(sha256: str) -> str:
    """The header's value for a SHA-256 in hexadecimal."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(sha256)).decode()}:"
