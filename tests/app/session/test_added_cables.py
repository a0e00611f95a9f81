"""Added cables as undoable edits."""

from app.session.added_cables import add_cables, cable_of, remove_cable, remove_cables
from app.session.faults import declare_fault
from app.session.session import Session
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import AddedCable, LinkFault, Torus
from core.routing import DimensionOrder, Minimal

TORUS = Scenario(Torus((4, 4, 4)), Halo(8, 8), Random(seed=1), Minimal(spread="equal"))


def throughput(session):
    return round(session.state.evaluation.report.throughput_gbs, 4)


def test_a_cable_is_added_undone_and_removed(qapp):
    session = Session.of(TORUS, sync=True)
    assert throughput(session) == 0.4615
    add_cables(session, AddedCable(0, 42))
    network = session.state.evaluation.case.network
    assert session.state.wanted.cables == (AddedCable(0, 42),)
    assert (network.links, network.classes[-1].name) == (386, "added")
    session.editing.undo()
    assert (session.state.wanted, throughput(session)) == (TORUS, 0.4615)
    session.editing.redo()
    add_cables(session, AddedCable(1, 2), AddedCable(3, 9))
    assert session.state.history.undo_name == "Add 2 cables"
    session.editing.undo()
    assert session.state.wanted.cables == (AddedCable(0, 42),)
    remove_cables(session)
    assert (session.state.wanted.cables, throughput(session)) == ((), 0.4615)


def test_a_routing_that_cannot_use_cables_refuses_them(qapp):
    session = Session.of(Scenario(TORUS.network, TORUS.job, TORUS.mapping, DimensionOrder()), sync=True)
    add_cables(session, AddedCable(0, 42))
    assert "cannot use added cables" in session.state.error.message
    assert session.state.evaluation.case.network.plain is None


def test_a_single_cable_is_removed_with_its_failure(qapp):
    session = Session.of(TORUS, sync=True)
    slow, fast = AddedCable(0, 42, 0.2), AddedCable(3, 9)
    add_cables(session, slow, fast)
    links = session.state.evaluation.case.network.links
    assert cable_of(session, 383) is None
    # Faster cables come first in the network.
    assert [cable_of(session, link) for link in range(384, links)] == [fast, fast, slow, slow]
    declare_fault(session, LinkFault(0, 42))
    declare_fault(session, LinkFault(0, 1))
    remove_cable(session, slow)
    assert session.state.wanted.cables == (fast,)
    assert session.state.wanted.faults == (LinkFault(0, 1),)
    assert session.state.history.undo_name == "Remove cable (0,0,0) – (2,2,2)"
    session.editing.undo()
    assert session.state.wanted.cables == (slow, fast)
    assert session.state.wanted.faults == (LinkFault(0, 42), LinkFault(0, 1))
