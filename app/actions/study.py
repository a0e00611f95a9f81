"""The commands that choose and compare networks."""

from app.actions.spec import ActionSpec
from app.wording import keys

NETWORKS = (
    ActionSpec("network.choose", "Choose a network …", "Study", lambda c: c.shell.open("networks"), keys.CHOOSE_NETWORK,
               tip="all families of about one size: pictures, and figures side by side"),
    ActionSpec("network.compare", "Compare networks …", "Study", lambda c: c.shell.open("network-table"),
               "Ctrl+Shift+N",
               tip="distances, cables, cost and throughput of networks of equal size or equal degree"),
)  # fmt: skip
