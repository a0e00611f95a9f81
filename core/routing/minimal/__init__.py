"""Routing on shortest paths of any network, and over random intermediate nodes (Valiant)."""
