"""Sweeps: a scenario with some fields varied, figures of every point, on as many cores or machines as there are."""
