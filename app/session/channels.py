"""The part of a session that draws channels of the job, and finds the links that they cross more than once."""

from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.channels import ChannelsState, Crossings
from app.model.channels_shown import crossings_of
from app.session.store import Store
from core.load.crossings import part_crossings
from core.load.evaluate import LoadReport
from core.spec import Progress

CAUSES = ChangeSet.LOADS | ChangeSet.TOPOLOGY | ChangeSet.TOOL | ChangeSet.CHANNELS
"""Changes after which the links may be unknown."""


class ChannelAnalyst:
    """Finds repeated links of the evaluation on screen while channels are drawn; another evaluation cancels that."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: LoadReport | None = None
        """The report analysed last."""
        self._runner = Runner("channels", self._on_crossed, sync=store.sync, parent=store)
        store.changed.connect(self._on_store_changed)

    def draw(self, drawn: bool) -> None:
        """Draw the channels on the machine, or hide them."""
        self._show(replace(self._channels, on_machine=drawn))

    def choose(self, channel: int | None) -> None:
        """Draw only one channel, by its number, or all."""
        self._show(replace(self._channels, on_machine=True, only=channel))

    @property
    def _channels(self) -> ChannelsState:
        return self._store.state.channels

    def _show(self, channels: ChannelsState) -> None:
        self._store.show(replace(self._store.state, channels=channels))

    def _look(self) -> None:
        state = self._store.state
        report, wanted = state.evaluation.report, self._channels.on_machine and not state.edit.gesture
        if not wanted or report.case.job.channels is None or crossings_of(state) is not None or self._asked is report:
            return
        self._asked = report
        self._runner.request(partial(_cross, report))

    def _on_store_changed(self, changes: ChangeSet) -> None:
        if changes & CAUSES:
            self._look()

    def _on_crossed(self, crossings: Crossings) -> None:
        self._show(replace(self._channels, crossings=crossings))


def _cross(report: LoadReport, progress: Progress) -> Crossings:
    return Crossings(report, part_crossings(report, progress))
