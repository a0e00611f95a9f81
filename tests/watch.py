"""Ends a run in which a test hangs."""

import faulthandler
import os
import sys
import time

HANGS_SECONDS = 900
"""A test that lasts longer prints its stack and fails the run, long before the time limit of CI.

A test may wait in vain for two events, each as long as tests/patience.py allows. The first test on a machine without
compiled kernels lasts minutes.
"""
SHARED_SECONDS = 30
"""Tests that begin within this time share a watch, so the first of them may last longer by this time."""


class Watch:
    """Ends a run if a test hangs. Unlike pytest's own, it starts no thread for each test, which costs 0.5 ms of CPU.

    `capture` is pytest's capture manager: the stack is printed past it.
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
