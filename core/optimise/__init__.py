"""Searches over mappings: objectives, moves, methods, and the runs that tie them together."""
