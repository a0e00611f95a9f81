"""Schemes for HyperX."""
