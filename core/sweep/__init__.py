"""Parameter sweeps: figures of a scenario at every combination of some fields, on many cores or machines."""
