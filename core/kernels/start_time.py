"""When this program was loaded: it may run other sources than those changed since."""

import time

GRAIN = 0.02
"""Seconds by which the times of files lag behind the clock, at most: they are those of its last tick."""
STARTED = time.time() - GRAIN
