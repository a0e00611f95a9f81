"""Cables added to the network, as edits."""

from dataclasses import replace

from app.session.session import Session
from core.network import AddedCable
from core.text import plural


def add_cables(session: Session, *cables: AddedCable) -> None:
    """Add cables to the network in one step, which can be undone; refused under a routing that cannot use them."""
    network, wanted = session.state.evaluation.case.network, session.state.wanted
    what = f"cable {cables[0].what(network)}" if len(cables) == 1 else plural(len(cables), "cable")
    session.propose(replace(wanted, cables=(*wanted.cables, *cables)), name=f"Add {what}")


def remove_cables(session: Session) -> None:
    """Remove all added cables in one step, which can be undone."""
    session.propose(replace(session.state.wanted, cables=()), name="Remove added cables")
