"""Adaptive routing that chooses between minimal and Valiant paths, in steady state."""
