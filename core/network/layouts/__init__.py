"""Layouts of networks that are not lattices: one module per kind of picture."""
