"""Whether an order holds what an e-invoice of EN 16931 must say, and what is missing if not."""
