"""The processes that work out the points of a study: some of this machine, or those of a Dask scheduler anywhere.

Dask is imported here alone, when a study runs: it takes a second to load.
"""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Any

from core.files.atomic import shown
from core.optimise.workers import interrupts_blocked
from core.spec import SpecError

FIELD = "--cluster"
ANSWER_SECONDS = 10.0
"""In which a scheduler has to answer."""
CLOSING = 60.0
"""Seconds in which a worker that is killed has to be gone, on a machine however busy."""


@contextmanager
def cluster_of(address: str | None, workers: int) -> Iterator[Any]:
    """Give a client of the scheduler at an address; without one, of one that this starts, with so many processes.

    Raises SpecError: if no scheduler answers there.
    """
    import dask

    # What goes wrong is said once, in a line: Dask reads this when it is imported.
    dask.config.set(logging={"distributed": "critical", "distributed.client": "critical"})
    from distributed import Client

    if address is not None:
        try:
            client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            words = f"no scheduler answers at {shown(address)}; give one such as tcp://10.0.0.1:8786"
            raise SpecError(FIELD, words) from error
        with client:
            yield client
        return
    # Dask leaves its folders behind.
    with (
        TemporaryDirectory(prefix="fabriscope-", ignore_cleanup_errors=True) as folder,
        _local_cluster(workers, folder) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _local_cluster(workers: int, folder: str) -> Any:
    import dask
    from distributed import LocalCluster, Nanny

    class QuickNanny(Nanny):
        """Starts a worker again that was killed; closed, does not wait for the point that it is at."""

        async def kill(self, timeout: float = CLOSING, reason: str = "end") -> None:
            if self.pid:
                with suppress(ProcessLookupError):
                    os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            await super().kill(CLOSING, reason)

    # A point may hold Python's lock for as long as it takes; and its arrays are not Dask's to watch.
    dask.config.set({"distributed.scheduler.worker-ttl": None})
    with interrupts_blocked(), dask.config.set({"temporary-directory": folder}):
        # Dask's web server cannot be left out; at any free port of this machine alone two studies can run at once.
        return LocalCluster(
            n_workers=workers, threads_per_worker=1, worker_class=QuickNanny, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=logging.CRITICAL,
        )  # fmt: skip
