"""Colours, icons, themes."""
