"""Adaptive routing that chooses between minimal and Valiant ways, in its steady state."""
