"""SQLAlchemy: tables, engines, transactions, and every SQL statement of Sheaf."""
