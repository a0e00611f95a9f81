"""A log of NCCL of 1,024 ranks and 32 channels: reading, and evaluating along rings and trees; CPU time, medians."""

import time
from statistics import median

import pytest

from core.job import Nccl
from core.job.nccl.log import communicators_in
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Rail
from core.routing import Minimal
from tests.benchmarks.timing import seconds_text
from tests.core.job.nccl.logs import Made, text

RANKS, CHANNELS = 1024, 32
SERVERS = Rail(units=4, servers=32, gpus=8, spines=16, parallel=2, nics=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    (folder / "nccl.log").write_text(text(Made(RANKS, CHANNELS, per_host=8, nics=8), "2.12"))
    return folder


def spent(call, *args):
    """The median CPU seconds of three calls, and the last result."""
    seconds = []
    for _ in range(3):
        begun = time.process_time()
        result = call(*args)
        seconds.append(time.process_time() - begun)
    return median(seconds), result


def test_a_log_is_read(record, folder):
    content = (folder / "nccl.log").read_text()

    def read():
        (communicator,) = communicators_in(content)
        return communicator, communicator.next_ranks, communicator.parents

    seconds, (communicator, *_) = spent(read)
    assert (communicator.ranks, communicator.channels) == (RANKS, CHANNELS)
    size = f"{len(content) / 1e6:.0f} MB, {content.count(chr(10)):,} lines"
    record(f"a log of NCCL read: 1,024 ranks, 32 channels ({size})", f"{seconds_text(seconds)} of CPU")
    assert seconds < 20


@pytest.mark.parametrize("algorithm", ["ring", "tree"])
def test_a_collective_is_evaluated(record, folder, algorithm):
    job = Nccl(log="nccl.log", algorithm=algorithm)
    case = Scenario(SERVERS, job, Sequential(), Minimal(spread="equal"), folder=folder).build()
    evaluate(case)
    seconds, report = spent(evaluate, case)
    record(f"allreduce by {algorithm}s of NCCL evaluated: 1,024 ranks, 32 channels", f"{seconds_text(seconds)} of CPU")
    assert seconds < 1
    link = int(report.hottest(1)[0])
    explain(report, link)
    seconds, explanation = spent(explain, report, link)
    assert sum(part.load for part in explanation.parts) == pytest.approx(explanation.load)
    record(f"the load of its hottest link explained by channel ({algorithm})", f"{seconds_text(seconds)} of CPU")
    assert seconds < 1
