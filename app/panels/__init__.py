"""Panels of words and numbers: build forms, the bottleneck inspector, and others."""
