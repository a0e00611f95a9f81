"""The heading of an explained item that has several links: their loads, hottest first."""

from PySide6.QtWidgets import QWidget

from app.model.load_parts import LoadPart, whole_of
from app.model.pointing import Item, vertices_of
from app.model.state import State
from app.model.subject import hottest_links_of, links_of_item
from app.panels.bottleneck.part_list import PartList
from app.widgets.labels import ElidedLabel, label, with_role
from app.widgets.layouts import column
from app.wording.names import pair_name
from app.wording.numbers import percent, significant
from core.load.evaluate import LoadReport
from core.load.scenario import Case
from core.text import plural

MAX_LINKS = 5
"""Maximum number of links listed."""


class SubjectHead(QWidget):
    """Names a bundle, node, switch, task or group, summarises the loads of its links, and lists the hottest."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.figures, self.links = (
            with_role(ElidedLabel(), "subheading"),
            label("dim"),
            PartList("Hottest links of the selection"),
        )
        self.figures.setWordWrap(True)
        column(self.title, self.figures, self.links, of=self, margins=(0, 0, 0, 6), spacing=3)

    def show_subject(self, item: Item | None, state: State) -> None:
        """Show another item; nothing for a link or a flow, which have their own headings."""
        report = state.report
        if item is None or item.kind in ("link", "flow"):
            self.hide()
            return
        self.show()
        name = subject_name(item, report.case)
        self.title.setText(name)
        self.title.setToolTip(name)
        self.figures.setText(figures_text(item, report))
        parts = link_parts(item, report)
        self.links.setVisible(len(parts) > 1)
        self.links.set_parts(parts, state.style.theme)
        self.links.set_selected(state.selection)


def subject_name(item: Item, case: Case) -> str:
    """Return ``Links between supernode 3 and 5``, ``Links at switch g0 · r2``, ``Links of supernode 3``."""
    network = case.network
    if item.kind == "bundle":
        a, b = divmod(item.index, network.groups)
        return f"Links between {pair_name(network, a, b, 'and')}"
    if item.kind == "group":
        return f"Links of {network.group_name(item.index)}"
    vertex = vertices_of(item, case)[0]
    where = f"Links at {network.vertex_name(vertex)}"
    return f"{where}, task {item.index:,}" if item.kind == "task" else where


def figures_text(item: Item, report: LoadReport) -> str:
    """Return ``8 links · max. load 0.31, mean 0.25 units · hottest at 80 % of the bottleneck``."""
    links = links_of_item(item, report.case)
    if not links.size:
        return "no links"
    load = report.total_load[links]
    if not load.any():
        return f"{plural(links.size, 'link')} · no load"
    measure = report.case.job.measure.suited(float(load.max()))
    highest, mean = (significant(measure.converted(float(value))) for value in (load.max(), load.mean()))
    figures = f"max. load {highest}, mean {mean} {measure.many}"
    top = percent(float(report.utilisation[links].max()))
    text = f"{plural(links.size, 'link')} · {figures} · hottest at {top} of {whole_of(report)}"
    # Keeps signs and separators with the text before them.
    return text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ·", "\N{NO-BREAK SPACE}·")


def link_parts(item: Item, report: LoadReport) -> tuple[LoadPart, ...]:
    """Return the hottest links of an item, each with its load and utilisation."""
    network = report.case.network
    converted = report.case.job.measure.converted
    return tuple(
        LoadPart(
            network.link_name(link),
            converted(float(report.total_load[link])),
            float(report.utilisation[link]),
            Item("link", link),
        )
        for link in hottest_links_of(item, report, MAX_LINKS).tolist()
    )
