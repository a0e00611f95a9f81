"""Components declared as faults, such as links that counters show to be slow."""

from dataclasses import replace

import numpy as np

from app.session.session import Session
from core.load.measured import Comparison
from core.network.faults import MIN_SPEED, AnyFault, LinkFault, fitting_faults, with_fault


def measured_speed(comparison: Comparison, link: int) -> float | None:
    """Return the measured fraction of a link's bandwidth, or None if it is unknown or not below 1.

    If counters were read several times, it is the highest of all intervals: a job does not always send.
    """
    measured = np.array([part.measured[link] for part in (comparison, *comparison.intervals)])
    peak = float(np.fmax.reduce(measured))  # an interval may have no value
    speed = max(peak / float(comparison.report.case.network.gbs[link]), MIN_SPEED)
    return speed if comparison.links.seconds is not None and speed < 1 else None


def slow_down(session: Session, link: int) -> None:
    """Declare a link as slow, with its measured speed, in one step; nothing if that is unknown."""
    measurement, network = session.state.measurement, session.state.evaluation.case.network
    speed = None if measurement is None else measured_speed(measurement.comparison, link)
    if speed is None:
        return
    declare_fault(session, LinkFault.of(network, link, float(f"{speed:.4g}")))


def declare_fault(session: Session, fault: AnyFault) -> None:
    """Declare a component of the network on screen as failed or slow, in one step."""
    wanted, network = session.state.wanted, session.state.evaluation.case.network
    declared = tuple(fault.numbered(network) for fault in fitting_faults(network, wanted.faults))
    name = f"{'Slow' if fault.speed else 'Fail'} {fault.what(network)}"
    session.propose(replace(wanted, faults=with_fault(declared, fault)), name=name)
