"""The commands that choose and compare networks, and sweep over scenarios."""

from app.actions.spec import ActionSpec
from app.wording import keys

STUDIES = (
    ActionSpec("network.choose", "Choose a network …", "Study", lambda c: c.shell.open("networks"), keys.CHOOSE_NETWORK,
               tip="all families of about one size: pictures, and figures side by side"),
    ActionSpec("network.compare", "Compare networks …", "Study", lambda c: c.shell.open("network-table"),
               "Ctrl+Shift+N",
               tip="distances, cables, cost and throughput of networks of equal size or equal degree"),
    ActionSpec("study.open", "Studies …", "Study", lambda c: c.shell.open("studies"), "Ctrl+Shift+D", apart=True,
               tip="vary any fields of the scenario on screen, and see figures of every point as a table and a plot"),
)  # fmt: skip
