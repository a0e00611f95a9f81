"""The worker processes of a study, either local or of a Dask scheduler.

Dask is imported only here, when a study runs, since it takes a second to load.
"""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from core.files.atomic import shown
from core.files.scratch import scratch_folder
from core.optional import check_installed
from core.processes import START_METHOD, interrupts_blocked, start_server
from core.spec import SpecError

FIELD = "--cluster"
ANSWER_SECONDS = 10.0
"""Time limit for a scheduler's answer."""
CLOSING = 60.0
"""Time limit for a killed worker to end, on a busy machine."""


@contextmanager
def cluster_of(address: str | None, workers: int) -> Iterator[Any]:
    """Yield a client of the scheduler at `address` or, if None, of a new local scheduler with `workers` workers.

    Raises SpecError: if no scheduler answers, or its package is not installed.
    """
    check_installed("distributed", "cluster", FIELD if address is not None else "--workers")
    import dask

    # Errors are reported once, by this program. Dask reads this setting when it is imported.
    dask.config.set(logging={"distributed": "critical", "distributed.client": "critical"})
    from distributed import Client

    if address is not None:
        try:
            client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            words = f"no scheduler answers at {shown(address)}; give an address such as tcp://10.0.0.1:8786"
            raise SpecError(FIELD, words) from error
        with client:
            yield client
        return
    # Dask would leave its folders behind.
    with (
        scratch_folder() as folder,
        _local_cluster(workers, str(folder)) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _local_cluster(workers: int, folder: str) -> Any:
    import dask
    from distributed import LocalCluster, Nanny

    class QuickNanny(Nanny):
        """Restarts killed workers; when closed, does not wait for the point being computed."""

        async def kill(self, timeout: float = CLOSING, reason: str = "end") -> None:
            if self.pid:
                with suppress(ProcessLookupError):
                    os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            await super().kill(CLOSING, reason)

    # A point may hold the GIL for a long time, and Dask must not manage the memory of its arrays.
    dask.config.set({"distributed.scheduler.worker-ttl": None})
    settings = {"temporary-directory": folder, "distributed.worker.multiprocessing-method": START_METHOD}
    for name in ("asyncio", "tornado"):  # they report the same error with a traceback
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with interrupts_blocked(), dask.config.set(settings):
        start_server("distributed", "core.sweep.points")
        # Dask's web server cannot be disabled. On any free local port, two studies can run at once.
        try:
            return LocalCluster(
                n_workers=workers, threads_per_worker=1, worker_class=QuickNanny, host="127.0.0.1",
                dashboard_address="127.0.0.1:0", memory_limit=0, silence_logs=logging.CRITICAL,
            )  # fmt: skip
        except (OSError, RuntimeError) as error:
            words = "cannot be started; use fewer workers, or raise the limits on open files (ulimit -n) or memory"
            raise SpecError("--workers", words) from error
