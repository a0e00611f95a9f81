"""When this program was loaded: sources changed later differ from the running code."""

import time

GRAIN = 0.02
"""Granularity of file times in seconds: they may lag behind the clock by one tick."""
STARTED = time.time() - GRAIN
