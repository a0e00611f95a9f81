"""Throughput: the conversion of a time t into GB/s per node, in one place."""

from math import ceil

from core.load.scenario import Case


def volume_per_node(case: Case, flowing: float | None = None) -> float:
    """Return the volume per node that, divided by t, is the throughput per node.

    If each task sends a unit: the number of tasks that fit a node, regardless of its actual tasks and of disconnected
    flows. A full node without disconnected flows does send this volume in t; `LoadReport.verdict` mentions the others.

    For traced flows: the connected volume, over the fewest nodes that can hold the job. That does not depend on the
    mapping, so of two mappings that disconnect the same flows the faster one has the higher throughput, and a minimum
    time is a maximum throughput.

    Parameters
    ----------
    flowing
        Volume of connected flows; None if all are connected.
    """
    job, network = case.job, case.network
    # A node of an aggregated network represents several nodes, and has their slots.
    held = network.slots_per_node / network.aggregation
    if job.unit:
        return held
    return (job.volume if flowing is None else flowing) / ceil(job.tasks / held)


def throughput(case: Case, time: float, flowing: float | None = None) -> float | None:
    """Return the throughput per node, GB/s, for a time t; None if nothing is loaded."""
    return volume_per_node(case, flowing) / time if time > 0 else None


def seconds(case: Case, time: float) -> float | None:
    """Return t if it is a time by itself, as for traced flows of known size; None if nothing flows."""
    return time if not case.job.unit and case.job.measure.timed and time > 0 else None
