"""Collective operations as steps of point-to-point messages: one file per operation."""
