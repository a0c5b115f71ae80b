"""Alembic's environment and versions, carried by the wheel."""
