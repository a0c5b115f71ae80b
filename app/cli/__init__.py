"""The command line: the composition root that reads settings and puts the rooms together."""
