"""InfiniBand fabrics simulated by ibsim, with OpenSM as their subnet manager."""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

TOOLS = ("ibsim", "ibsim-run", "opensm", "ibnetdiscover", "iblinkinfo")
LIMITS = ("-N", "4096", "-S", "1024", "-P", "65536", "-L", "32768")
"""Nodes, switches, ports and LIDs; with 65,536 LIDs OpenSM crashes."""
LOCK = Path(tempfile.gettempdir()) / "fabriscope-ibsim.lock"
needs_ibsim = pytest.mark.skipif(
    not all(map(shutil.which, TOOLS)), reason="ibsim, OpenSM and infiniband-diags are not installed"
)


@contextmanager
def simulated(folder, net, *options):
    """Simulate the network in a file; give a function that runs a program in it and returns its output as bytes.

    OpenSM, with further `options`, assigns LIDs and writes its dumps to the folder. Simulators run one after the other.
    """
    environment = {name: value for name, value in os.environ.items() if name != "IBSIM_SERVER_NAME"}
    environment |= {"OSM_CACHE_DIR": str(folder), "OSM_TMP_DIR": str(folder)}

    def run(*command):
        process = subprocess.run(
            ["ibsim-run", *command],
            check=True,
            cwd=folder,
            env=environment,
            timeout=120,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return process.stdout

    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        log = folder / "ibsim.log"
        with (
            log.open("wb") as output,
            subprocess.Popen(
                ["ibsim", "-s", *LIMITS, net],
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
            ) as simulator,
        ):
            try:
                _wait_for(simulator, log)
                run("opensm", "-o", "-f", str(folder / "osm.log"), "-D", "0x43", *options)
                yield run
            finally:
                simulator.stdin.close()
                simulator.terminate()


def _wait_for(simulator, log):
    for _ in range(200):
        if b"simulator ready" in log.read_bytes():
            return
        assert simulator.poll() is None, log.read_text()
        time.sleep(0.05)
    raise TimeoutError(log.read_text())
