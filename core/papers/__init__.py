"""Reproductions of published experiments: printed figures and predictions, compared with our results."""
