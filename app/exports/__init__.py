"""The owner's verbs on exports, one file each."""
