"""Mutated files of every kind that the program reads; not part of `make test`."""
