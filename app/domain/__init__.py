"""The pure rules of Sheaf: standard library only, no clock, no database, no network."""
