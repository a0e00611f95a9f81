"""Collective operations as steps of point-to-point messages, one module per operation."""
