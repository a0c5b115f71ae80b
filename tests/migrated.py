"""What a test's database connections may take."""

from app.database.engines import EngineLimits

LIMITS = EngineLimits(connections=8, connect=5, statement=30, lock=10)
