"""What keeps a document from being of its variant."""


class RuleBroken(Exception):
    """The HTML or the style has what the rules of the variant do not allow; the text says what and why."""
