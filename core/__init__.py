"""Numbers only: arrays in, frozen results out; no Qt, no signals, no printing."""
