"""What a process of `test_processes` does; it imports little, since each of them imports it."""

import os
import signal


def tell(task, pipe):
    """Tell where the process comes from and what it is deaf to, and then send all back that comes."""
    pipe.send((task, os.getppid(), signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)))
    while True:
        pipe.send(pipe.recv())
