"""Panels of words and numbers: build forms, the Bottleneck panel, and others."""
