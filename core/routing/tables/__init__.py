"""Routing by the forwarding tables of InfiniBand switches: the port for each destination LID."""
