"""Routing on CLEX networks."""
