"""Sheaf: thousands of shop order documents as one durable export job with an owner."""

__version__ = "0.1.0"
