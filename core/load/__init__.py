"""Loads of links: evaluation, live updates, causes, and bounds that no mapping can beat."""
