"""Port counters of a machine: the measured loads of its links."""
