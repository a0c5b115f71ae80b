"""What browsers are told of every page: nothing from elsewhere, nothing inline, no frame around it, no copy kept."""

from typing import Final


def content_policy(*, scripts: str = "", styles: str = "") -> str:
    """The Content-Security-Policy (https://www.w3.org/TR/CSP3/): our own files, and what else is named."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {scripts}".rstrip(),
            f"style-src 'self' {styles}".rstrip(),
            "img-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )


GUARDED: Final = {
    "Content-Security-Policy": content_policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # a form's `Origin` would be `null` without any referrer at all
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Headers of every page and of what belongs to it."""

PERSONAL: Final = {**GUARDED, "Cache-Control": "no-store"}
"""Headers of pages that are somebody's: no cache may keep them."""
