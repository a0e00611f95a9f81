"""Files dragged over the window: the places that take them light up, and take them when dropped there."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QInputDialog

from app.style.theme import DARK, LIGHT
from app.window.file_drops import LABELS, NOT_READ, DraggedFiles, examined
from core.files import write_scenario
from core.job import Flows
from core.load.scenario import Scenario
from core.mapping import FromFile, Sequential
from core.network import Edges, Torus
from core.routing import DimensionOrder, Minimal, Tables
from core.spec import no_progress

COPY, NO_KEYS = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
LEFT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
FABRIC = Path(__file__).resolve().parents[2] / "data" / "infiniband" / "tree"
FILES = {
    "topology.conf": "SwitchName=s Nodes=n[0-3]\n",
    "flows.csv": "src,dst,volume\n0,3,5\n",
    "ranks.txt": "rank 0=n3 slot=0\nrank 1=n0 slot=0\n",
    "numbers.txt": "0 1 2\n1 2 3\n2 3 4\n0 3 1\n",
    "waits.csv": "src,dst,bytes,wait\n0,3,5,1\n",
    "sent1.csv": "src,dst,bytes\n0,1,5\n1,0,6\n",
    "sent2.csv": "src,dst,bytes\n0,1,15\n1,0,36\n",
    "report.pdf": "%PDF-1.5",
    "tour.fabriscope-tour.json": "{}",
    "study.fabriscope-study.json": "{}",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    scenario = Scenario(Torus((2, 2)), Flows(src=(0,), dst=(1,), volume=(1.0,)), Sequential(), DimensionOrder())
    write_scenario(tmp_path / "mine.fabriscope.json", scenario)
    return tmp_path


class Drag:
    """A drag of files over a window, as Qt sends its events."""

    def __init__(self, window, paths):
        self.window, self.data = window, QMimeData()
        self.data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])

    def send(self, kind, point):
        event = kind(point, COPY, self.data, LEFT, NO_KEYS)
        event.ignore()
        QApplication.sendEvent(self.window, event)
        return event.isAccepted()

    def enter(self):
        return self.send(QDragEnterEvent, QPoint(5, 5))

    def move(self, point):
        return self.send(QDragMoveEvent, point)

    def drop(self, point):
        return self.send(QDropEvent, point)

    def leave(self):
        QApplication.sendEvent(self.window, QDragLeaveEvent())


@pytest.fixture
def drag(lent, folder):
    return lambda *names: Drag(lent, [folder / name for name in names])


def middle(window, part):
    return part.mapTo(window, part.rect().center())


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (["topology.conf"], ("network",)),
        (["flows.csv"], ("job",)),
        (["ranks.txt"], ("mapping",)),
        (["numbers.txt"], ("network", "job", "mapping")),
        (["mine.fabriscope.json"], ("scenario", "background")),
        (["tour.fabriscope-tour.json"], ("tour",)),
        (["study.fabriscope-study.json"], ("study",)),
        (["waits.csv"], ("counters",)),
        (["sent1.csv"], ("job", "counters")),
        (["sent2.csv", "waits.csv", "sent1.csv"], ("counters",)),
        (["flows.csv", "topology.conf", "ranks.txt"], ("job", "network", "mapping")),
    ],
)
def test_the_first_bytes_determine_where_files_can_be_dropped(folder, names, places):
    assert examined([folder / name for name in names], no_progress) == DraggedFiles(places)
    assert set(places) <= LABELS.keys()


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["report.pdf"], "report.pdf is a PDF document"),
        (["gone.csv"], "gone.csv cannot be read: No such file or directory"),
        (["flows.csv", "report.pdf"], "report.pdf is a PDF document"),
        (["flows.csv", "more.csv"], "flows.csv and more.csv are both job files; choose one of them"),
        (["flows.csv", "mine.fabriscope.json"], "mine.fabriscope.json must be opened alone, without other files"),
        (["."], "it is a folder"),
    ],
)
def test_files_that_cannot_be_dropped_show_the_reason(folder, names, reason):
    (folder / "more.csv").write_text(FILES["flows.csv"])
    files = examined([folder / name for name in names], no_progress)
    assert files.places == ()
    assert reason in files.refusal


def test_web_pages_are_left_alone(lent):
    data = Drag(lent, [])
    data.data.setUrls([QUrl("https://host/c.txt")])
    assert not data.enter()
    assert lent.drops.overlay.isHidden()


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_the_place_is_highlighted_until_the_drag_leaves(shared, folder, theme):
    shared.session.set_theme(theme)
    overlay, machine, job = shared.drops.overlay, shared.centre.cards["machine"], shared.centre.cards["job"]
    before = shared.grab().toImage()
    files = Drag(shared, [folder / "topology.conf"])
    assert files.enter()
    assert overlay.isVisible()
    assert set(overlay.places) == {"network"}
    assert overlay.places["network"].contains(middle(shared, machine))
    lit = shared.grab().toImage()
    corner = machine.mapTo(shared, QPoint(-3, machine.height() // 2))
    assert lit.pixelColor(corner) == QColor(theme.accent)
    veiled = job.mapTo(shared, QPoint(job.width() // 2, 4))
    # The veil takes the panel's colour towards the window's.
    assert lit.pixelColor(veiled) != before.pixelColor(veiled)
    assert files.move(middle(shared, machine))
    assert overlay.near == "network"
    assert files.move(middle(shared, job))
    assert overlay.near == ""
    files.leave()
    assert overlay.isHidden()
    assert shared.grab().toImage() == before
    shared.session.set_theme(DARK)


def test_the_pointer_ends_a_drag_whose_source_has_gone(lent, drag):
    drag("topology.conf").enter()
    overlay, at = lent.drops.overlay, QPointF(300, 300)
    moved = QMouseEvent(QEvent.Type.MouseMove, at, overlay.mapToGlobal(at), NO_BUTTON, NO_BUTTON, NO_KEYS)
    QApplication.sendEvent(overlay, moved)
    assert overlay.isHidden()
    assert not overlay.places


def test_the_place_of_a_drop_determines_the_kind_of_the_file(lent, drag, folder, monkeypatch):
    monkeypatch.setattr(QInputDialog, "getItem", lambda *arguments: ("bytes", True))
    files = drag("numbers.txt")
    files.enter()
    assert set(lent.drops.overlay.places) == {"network", "job", "mapping"}
    files.drop(middle(lent, lent.centre.cards["job"]))
    assert lent.session.state.wanted.job == Flows(file=str(folder / "numbers.txt"), unit="bytes")
    assert lent.drops.overlay.isHidden()
    files.enter()
    files.drop(lent.drops.overlay.places["mapping"].center())
    assert lent.session.state.wanted.mapping == FromFile(file=str(folder / "numbers.txt"))


def test_a_network_can_be_dropped_anywhere(lent, drag, folder):
    files = drag("topology.conf")
    files.enter()
    files.drop(middle(lent, lent.bottleneck))
    assert lent.session.state.error is None
    assert lent.session.state.wanted.network == Edges(file=str(folder / "topology.conf"))
    assert lent.session.state.history.adaptation.sentence.startswith("Job reduced to 2 × 2 tasks to fit 4 nodes; ")


def test_forwarding_tables_become_the_routing_of_the_fabric_dropped_before(lent):
    network = Drag(lent, [FABRIC / "ibnetdiscover.txt"])
    network.enter()
    network.drop(middle(lent, lent.bottleneck))
    assert lent.session.state.evaluation.case.scenario.routing == Minimal(spread="equal")
    tables = Drag(lent, [FABRIC / "opensm-lfts.dump"])
    tables.enter()
    area, section = lent.drops.overlay.places["routing"], lent.build.sections["routing"]
    assert QRect(section.mapTo(lent, QPoint()), section.size()).contains(area)
    tables.drop(area.center())
    assert lent.session.state.error is None
    assert lent.session.state.evaluation.case.scenario.routing == Tables(file=str(FABRIC / "opensm-lfts.dump"))
    lent.build.catch_up()
    assert section.contents.text() == "a dump of OpenSM's forwarding tables, tables of 8 switches with 180 entries"


def test_a_fabric_and_its_tables_can_be_dropped_together(lent):
    names = ("ibnetdiscover.txt", "opensm.fdbs")
    files = Drag(lent, [FABRIC / name for name in names])
    files.enter()
    files.drop(QPoint(5, 5))
    scenario = lent.session.state.evaluation.case.scenario
    assert (scenario.network.file, scenario.routing.file) == tuple(str(FABRIC / name) for name in names)


def test_tables_without_a_fabric_are_refused(lent):
    before = lent.session.state.evaluation.case.scenario
    files = Drag(lent, [FABRIC / "dump_fts.txt"])
    files.enter()
    files.drop(QPoint(5, 5))
    state = lent.session.state
    assert state.evaluation.case.scenario == before
    assert state.refusal.field == "routing.type"
    assert state.refusal.message.startswith("tables supports InfiniBand fabrics with LIDs only")


def test_the_job_of_a_scenario_becomes_a_background_job(lent, drag):
    files = drag("mine.fabriscope.json")
    files.enter()
    overlay = lent.drops.overlay
    assert overlay.places["scenario"].contains(overlay.places["background"])
    files.move(middle(lent, lent.bottleneck))
    assert overlay.near == "scenario"
    before = lent.session.state.wanted.network
    files.move(middle(lent, lent.centre.cards["job"]))
    assert overlay.near == "background"
    files.drop(middle(lent, lent.centre.cards["job"]))
    state = lent.session.state
    assert state.wanted.network == before
    assert state.file.path is None


def test_an_unreadable_file_is_reported_during_and_after_the_drop(lent, drag):
    files = drag("report.pdf")
    files.enter()
    assert lent.drops.overlay.refusal.startswith(f"{NOT_READ}\nreport.pdf is a PDF document")
    before = lent.session.state.wanted
    files.drop(QPoint(300, 300))
    assert lent.drops.overlay.isHidden()
    assert "report.pdf is a PDF document" in lent.session.state.error.message
    assert lent.session.state.wanted == before


def test_a_file_in_a_folder_with_spaces_can_be_dropped(lent, folder):
    (folder / "a b").mkdir()
    path = Path(folder / "a b" / "topology.conf")
    path.write_text(FILES["topology.conf"])
    files = Drag(lent, [path])
    files.enter()
    files.drop(QPoint(5, 5))
    assert lent.session.state.wanted.network == Edges(file=str(path))


def test_files_of_counters_dropped_together_are_a_series(lent, folder, drag):
    lent.session.open(lent.session.state.wanted, None)
    dragged = drag("sent2.csv", "sent1.csv")
    assert dragged.enter()
    centre = middle(lent, lent.build.counters)
    assert dragged.move(centre)
    assert dragged.drop(centre)
    measured = lent.session.state.wanted.measured
    assert (measured.before, measured.after) == (str(folder / "sent1.csv"), str(folder / "sent2.csv"))
    assert lent.statusBar().currentMessage().startswith("Counters in order of name: sent1.csv before, sent2.csv after")
    lent.session.editing.undo()
    assert lent.session.state.wanted.measured is None
