"""Parameter sweeps: figures of a scenario for all combinations of field values, on many cores or machines."""
