"""The order of a job's messages, if it is not given by ranks that run one phase after the other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Operations = NDArray[np.int32]


class MessageOrder(NamedTuple):
    """Threads that perform operations in order.

    An operation begins when all messages of the previous operation of its thread have been sent, and all messages and
    signals that it awaits have arrived. It then sends its messages. The first operation of a thread begins at once; the
    last sends nothing, and marks the end of the thread.
    """

    start: Operations
    """(threads + 1,) first operation of each thread."""
    sender: Operations
    """(messages,) the operation that sends each message, in the order of the blocks of all phases."""
    awaiting: Operations
    """(messages,) the operation that awaits it."""
    signals: Operations
    """(signals, 2) operations that send signals, which take no time, and the operations that await them."""

    def threads(self, operations: Operations) -> Operations:
        """Return the thread of each operation."""
        return (np.searchsorted(self.start, operations, side="right") - 1).astype(np.int32)
