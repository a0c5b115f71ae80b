"""The routes of version 1 and the probes."""
