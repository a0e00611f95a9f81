"""When this program was loaded: sources changed later are not those that run."""

import time

GRAIN = 0.02
"""Granularity of file times in seconds: they may lag behind the clock by one tick."""
STARTED = time.time() - GRAIN
