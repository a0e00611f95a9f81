"""Port counters of a machine: what its links carried, beside what is predicted."""
