"""Deadlock freedom of routings: channel dependencies, their cycles, and virtual lanes."""
