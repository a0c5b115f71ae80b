"""The three kinds of steps."""
