"""The commands that choose and compare networks."""

from app.actions.spec import ActionSpec
from app.model.state import State


def _answered(state: State) -> bool:
    return state.answer is not None


NETWORKS = (
    ActionSpec("network.choose", "Choose a network …", "Study", lambda w: w.open_network_chooser(), "Ctrl+N", _answered,
               tip="all families of about one size: pictures, and figures side by side"),
    ActionSpec("network.compare", "Compare networks …", "Study", lambda w: w.open_network_table(), "Ctrl+Shift+N",
               _answered, tip="distances, cables, cost and throughput of networks of equal size or equal degree"),
)  # fmt: skip
