"""Texts for the user: names, numbers, the reference."""
