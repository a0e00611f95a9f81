"""Throughput: the conversion of a time t into GB/s per node, in one place."""

from core.load.scenario import Case


def volume_per_node(case: Case, flowing: float | None = None) -> float:
    """Return the volume per node that, divided by t, is the throughput per node: see `Job.volume_per_node`."""
    # A node of an aggregated network represents several nodes, and has their slots.
    return case.job.volume_per_node(case.network.slots_per_node / case.network.aggregation, flowing)


def throughput(case: Case, time: float, flowing: float | None = None) -> float | None:
    """Return the throughput per node, GB/s, for a time t; None if nothing is loaded."""
    return volume_per_node(case, flowing) / time if time > 0 else None


def seconds(case: Case, time: float) -> float | None:
    """Return t if it is a time by itself, as for traced flows of known size; None if nothing flows."""
    return time if not case.job.unit and case.job.measure.timed and time > 0 else None
