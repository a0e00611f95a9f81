"""Routing on tori, meshes and hypercubes: dimension order, adaptive, short dimension first."""
