"""The console's addresses."""
