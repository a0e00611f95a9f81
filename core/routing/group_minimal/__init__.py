"""Minimal routing on dragonflies: at most one global link in a path."""
