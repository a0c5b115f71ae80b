"""Whether an order is owed a document at all, where only the order itself can tell."""


class NotOwed(Exception):
    """The order is owed no such document; `code` and `reason` say why. Its item is skipped, not failed."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
