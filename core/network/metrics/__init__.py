"""Metrics of networks: distances, bisection, cable lengths."""
