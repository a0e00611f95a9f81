"""Another network: job, mapping and routing stay as requested, and choices that do not fit are adapted."""

from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.history import Adaptation
from app.model.state import State
from app.model.state_groups import Misfit, Offer
from app.session.store import Store
from core.load.remedies import larger_networks, remedies
from core.load.scenario import Scenario
from core.mapping.mapping import Mapping
from core.network.network import NetworkSpec
from core.spec import Cancelled, Progress


def with_network(state: State, spec: NetworkSpec) -> Scenario:
    """Return the scenario with another network and all other choices as requested, before fitting.

    If nothing else has changed since the last network, these are the choices before their adaptation to it, so that a
    size typed as 1, 10, 1024 ends with the entire job.
    """
    adaptation = state.history.adaptation
    waiting = state.drafts or state.error is not None or state.refusal is not None
    base = state.wanted if adaptation is None or waiting else adaptation.wanted
    return base.with_choice("network", spec)


def drawn_mapping(state: State, scenario: Scenario) -> Mapping | None:
    """Return the mapping of a scenario's job on the previous network, or None if unknown."""
    adaptation, case = state.history.adaptation, state.evaluation.case
    if adaptation is not None and _same_tasks(adaptation.wanted, scenario):
        return adaptation.drawn
    return case.mapping if _same_tasks(case.scenario, scenario) else None


def _same_tasks(a: Scenario, b: Scenario) -> bool:
    return a.job == b.job and a.mapping == b.mapping


class RemedySearch:
    """Searches for remedies for each error, and for networks with room for a job that was reduced."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner("remedies", self._on_offered, sync=store.sync, parent=store)
        self._misfit = store.state.misfit
        """The misfit searched last."""
        store.changed.connect(self._on_store_changed)

    def _on_store_changed(self, changes: ChangeSet) -> None:
        misfit = self._store.state.misfit
        if misfit is self._misfit:
            return
        self._misfit = misfit
        self._runner.cancel()
        if misfit is not None:
            self._runner.request(partial(_offer, misfit, self._store.state))

    def _on_offered(self, offer: Offer) -> None:
        self._store.show(replace(self._store.state, offer=offer))


def _offer(misfit: Misfit, state: State, progress: Progress) -> Offer:
    try:
        if isinstance(misfit, Adaptation):
            return Offer(misfit, larger_networks(misfit.wanted, misfit.drawn, progress))
        return Offer(misfit, remedies(state.wanted, drawn_mapping(state, state.wanted), progress))
    except Cancelled:
        raise
    except Exception:  # an unexpected error of a reader is the reported error, and was printed
        return Offer(misfit, ())
