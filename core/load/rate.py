"""Throughput: what a time t means in GB/s per node. The one place that says so."""

from math import ceil

from core.load.scenario import Case


def volume_per_node(case: Case, flowing: float | None = None) -> float:
    """Return the volume a node that, over t, is the throughput per node.

    Where each task sends a unit: the tasks that a node holds, however many it has and whatever is cut. A node that has
    lost no flow and is full does send so much in t; `LoadReport.verdict` says that others send less.

    For traced flows: what flows, over the fewest nodes that can hold the job. That does not depend on the mapping, so
    that of two mappings that cut the same the faster one has the higher throughput, and a least time is a highest
    throughput.

    Parameters
    ----------
    flowing
        Volume of the flows that are not cut; None: none is.
    """
    job, network = case.job, case.network
    # A node of a folded network stands for several, whose slots it has.
    held = network.slots_per_node / network.aggregation
    if job.unit:
        return held
    return (job.volume if flowing is None else flowing) / ceil(job.tasks / held)


def throughput(case: Case, time: float, flowing: float | None = None) -> float | None:
    """Return the throughput per node, GB/s, that a time t means; None where nothing is loaded."""
    return volume_per_node(case, flowing) / time if time > 0 else None


def seconds(case: Case, time: float) -> float | None:
    """Return t where that is a time by itself: of traced flows whose volumes have a size; None: nothing flows."""
    return time if not case.job.unit and case.job.measure.timed and time > 0 else None
