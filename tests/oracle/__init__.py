"""Slow, obvious reference code, written from the published models alone: path by path, loads as dictionaries.

Nothing here imports core; links are named by their ends, nodes by their coordinates.
"""
