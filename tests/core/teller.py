"""The work of a process of `test_processes`; it imports little, since each process imports it."""

import os
import signal


def tell(task, pipe):
    """Send where the process comes from and which signals it ignores, and then echo all messages."""
    pipe.send((task, os.getppid(), signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)))
    while True:
        pipe.send(pipe.recv())
