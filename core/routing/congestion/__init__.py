"""Routing that minimises the highest utilisation: minimum-congestion flow."""
