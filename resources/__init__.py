"""Presets, style and help that come with the program."""
