"""The panel of a collective's channels."""
