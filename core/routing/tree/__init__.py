"""Schemes for trees."""
