"""The panel that compares state A with state B."""
