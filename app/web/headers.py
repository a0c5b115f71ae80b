"""What browsers are told of every page: nothing from elsewhere, nothing inline, no frame around it, no copy kept."""

from typing import Final

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
"""The Content-Security-Policy (https://www.w3.org/TR/CSP3/)."""

GUARDED: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # a form's `Origin` would be `null` without any referrer at all
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Headers of everything that the console answers."""

PERSONAL: Final = {**GUARDED, "Cache-Control": "no-store"}
"""Headers of pages: they are somebody's, and no cache may keep them."""
