"""The Routes panel."""
