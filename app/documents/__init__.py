"""Order → view → HTML → PDF, rendered in killable children; no database, no queue."""
