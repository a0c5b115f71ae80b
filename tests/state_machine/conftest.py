"""The migrated databases with a store, as the tests of single statements have them."""

from tests.database.conftest import bench

__all__ = ["bench"]
