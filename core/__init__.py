"""Numbers only: arrays in, frozen results out; no Qt, no signals, no printing."""

__version__ = "0.1.0"
