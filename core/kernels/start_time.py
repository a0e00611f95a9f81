"""When this program was loaded: of sources that have changed since, nobody knows which ones it runs."""

import time

GRAIN = 0.02
"""Seconds by which the times of files lag behind the clock, at most: they are those of its last tick."""
STARTED = time.time() - GRAIN
