"""Slow, plain reference code, written only from the published models: path by path, with loads as dictionaries.

The models do not import core. Links are named by their ends, nodes by their coordinates.
"""
