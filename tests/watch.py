"""The end of a run in which a test hangs."""

import faulthandler
import os
import sys
import time

HANGS_SECONDS = 900
"""A test that takes longer shows where, and fails the run, long before CI's patience ends.

It may wait in vain for two events, as long as tests/patience.py allows for each; the first on a machine that has
compiled nothing takes minutes.
"""
SHARED_SECONDS = 30
"""Tests that begin within so many seconds share a watch, and the first of them may take that much longer."""


class Watch:
    """Ends a run whose test hangs. Pytest's own starts a thread for each test and waits for its end: 0.5 ms of CPU.

    `capture` is pytest's: its output must not go to the capture of tests.
    """

    def __init__(self, capture):
        with capture.global_and_fixture_disabled():
            self._stderr = os.dup(sys.stderr.fileno())
        self._shared_until = 0.0

    def pytest_runtest_logstart(self):
        if time.monotonic() >= self._shared_until:
            faulthandler.dump_traceback_later(HANGS_SECONDS + SHARED_SECONDS, exit=True, file=self._stderr)
            self._shared_until = time.monotonic() + SHARED_SECONDS

    def pytest_exception_interact(self):
        self._shared_until = 0.0  # pytest ends all watches here

    def pytest_unconfigure(self):
        faulthandler.cancel_dump_traceback_later()
        os.close(self._stderr)
