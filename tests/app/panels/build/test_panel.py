"""The build panel: forms from declarations, proposals to the session, messages at their fields."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QScrollArea

from app.model.changes import ChangeSet
from app.model.pointing import Item
from app.panels.build.panel import SCROLL_MS, SECTIONS, BuildPanel
from app.panels.build.pending_input import TYPING_PAUSE_MS
from app.session.session import Session
from app.widgets.editors import SummaryEditor
from app.widgets.forms import Form
from core.job import Allreduce, AllToAll, Flows, Halo, Permutation, Sequence, Transpose
from core.load.scenario import Scenario
from core.mapping import Blocks, Explicit, FromFile, ModColour, Random, Sequential
from core.network import Edges, Mesh, Percs, Torus
from core.network.formats import OPTIONS
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect, PercsIndirect
from core.spec import SpecError, fields_of, members
from core.timing import BarrierTiming, FairShare
from tests.core.network.test_link_ends import TWO_CABLES

FAMILIES = [family for union in SECTIONS.values() for family in members(union)]
TORUS = Scenario(Torus((8, 8, 8)), Halo(16, 32), Sequential(), DimensionOrder())
BLOCKS = Scenario(Percs(32, 4), Halo(64, 64), Blocks(8, 16), PercsDirect())
FLOWS = Scenario(Percs(2, 4), Flows(src=(0, 1), dst=(1, 9), volume=(1.0, 2.0)), Sequential(), PercsDirect())


@pytest.fixture
def panel_of(session_of, show):
    def open_panel(scenario, width=250):
        return show(BuildPanel(session_of(scenario)), width, 900)

    return open_panel


@pytest.fixture(autouse=True)
def dialogs(monkeypatch):
    """Answers dialogs for files: with `answer`, or by cancelling them; `asked` has titles and folders."""
    answers = SimpleNamespace(answer=None, asked=[])

    def ask(parent, title, folder):
        answers.asked.append((title, folder))
        return str(answers.answer or ""), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    return answers


def body(panel, field):
    choice, _, name = field.partition(".")
    return panel.sections[choice].form.editors[name].body


def error_text(form, field):
    """The message below a field."""
    return form.messages[field].text() if field in form.messages else ""


def type_over(panel, field, text, enter=True):
    widget = body(panel, field)
    line = widget if hasattr(widget, "setText") else widget.lineEdit()
    widget.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    if enter:
        QTest.keyClick(widget, Qt.Key.Key_Return)


def choose_family(panel, choice, family):
    """Open the list and click on a family."""
    combo = panel.sections[choice].combo
    row = next(row for row in range(combo.count()) if combo.itemData(row) is family)
    combo.setFocus()
    combo.showPopup()
    view = combo.view()
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.model().index(row, 0)).center()
    )


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.tag())
def test_every_family_has_an_editor_for_each_field(qtbot, family):
    form = Form(family)
    qtbot.addWidget(form)
    assert list(form.editors) == [field.name for field in fields_of(family)]
    assert (form.presets is not None) == bool(family.presets)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.tag())
def test_every_editor_shows_its_default_without_an_echo(qtbot, family):
    form = Form(family)
    qtbot.addWidget(form)
    received = []
    form.edited.connect(lambda *entry: received.append(entry))
    form.show_spec(family(**{field.name: (0, 1) for field in fields_of(family) if field.required}))
    assert received == []


def test_sections_show_titles_fields_and_hints(panel_of):
    panel = panel_of(BLOCKS)
    for choice, section in panel.sections.items():
        spec = getattr(BLOCKS, choice) or BarrierTiming()
        assert section.combo.currentText() == spec.title
        assert section.hint.text() == spec.summary()
        assert section.hint.text()
    assert body(panel, "network.supernodes").lineEdit().text() == "32"
    assert panel.sections["mapping"].form.presets.currentText() == "supernode 8 × 16"


def test_typed_value_reaches_the_session_on_enter(panel_of):
    panel = panel_of(BLOCKS)
    type_over(panel, "network.supernodes", "64")
    assert panel.state.wanted.network == Percs(64, 4)
    assert panel.state.evaluation.case.network.nodes == 2048
    assert panel.sections["network"].hint.text() == Percs(64, 4).summary()


def test_typed_value_reaches_the_session_after_a_pause_not_before(panel_of, qtbot):
    panel = panel_of(BLOCKS)
    type_over(panel, "network.supernodes", "64", enter=False)
    assert panel.state.wanted == BLOCKS
    qtbot.waitUntil(lambda: panel.state.wanted.network == Percs(64, 4))
    assert body(panel, "network.supernodes").lineEdit().text() == "64"


def test_arrow_reaches_the_session_immediately_and_once(panel_of, log_of):
    panel = panel_of(BLOCKS)
    log = log_of(panel.session)
    box = body(panel, "network.lr_gbs")
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(box.width() - 6, 6))
    assert panel.state.wanted.network == Percs(32, 4, lr_gbs=5.1)
    assert len(log.of(ChangeSet.LOADS)) == 1


def test_choice_switch_and_list_reach_the_session(panel_of):
    panel = panel_of(TORUS)
    type_over(panel, "network.dims", "4x16 x8")
    assert panel.state.wanted.network == Torus((4, 16, 8))
    QTest.keyClick(body(panel, "network.wrap"), Qt.Key.Key_Space)
    assert panel.state.wanted.network == Torus((4, 16, 8), wrap=False)
    choose_family(panel, "routing", Adaptive)
    body(panel, "routing.model").setFocus()
    QTest.keyClick(body(panel, "routing.model"), Qt.Key.Key_Down)
    assert panel.state.wanted.routing == Adaptive("hop-local")
    assert panel.state.error is None


def test_preset_sets_its_fields_and_shows_them(panel_of):
    panel = panel_of(BLOCKS)
    presets = panel.sections["mapping"].form.presets
    presets.setFocus()
    QTest.keyClick(presets, Qt.Key.Key_Up)
    assert presets.currentText() == "drawer 4 × 8"
    assert panel.state.wanted.mapping == Blocks(4, 8)
    assert body(panel, "mapping.rows").lineEdit().text() == "4"
    type_over(panel, "mapping.cols", "4")
    assert presets.currentText() == "custom"


def test_refused_value_has_an_error_under_its_field_and_results_stay(panel_of):
    panel = panel_of(BLOCKS)
    good = panel.state.report
    type_over(panel, "mapping.rows", "3")
    section = panel.sections["mapping"]
    assert error_text(section.form, "rows").startswith("3 does not divide the 64 rows")
    assert body(panel, "mapping.rows").property("wrong")
    assert section.message.text() == ""
    assert panel.state.report is good
    type_over(panel, "mapping.rows", "8")
    assert error_text(section.form, "rows") == ""
    assert not body(panel, "mapping.rows").property("wrong")
    assert section.remedies.isHidden()


@pytest.mark.parametrize(
    ("error", "choice", "text"),
    [
        (SpecError("mapping", "4,096 tasks do not fit"), "mapping", "4,096 tasks do not fit"),
        (SpecError("mapping.type", "needs a grid"), "mapping", "needs a grid"),
        (SpecError("job.src", "is missing"), "job", "Src: is missing"),
    ],
)
def test_error_without_a_row_is_shown_under_the_family(panel_of, error, choice, text):
    panel = panel_of(BLOCKS)
    panel.session.report_error(error)
    assert panel.sections[choice].message.text() == text
    others = [section.message.text() for name, section in panel.sections.items() if name != choice]
    assert others == [""] * (len(SECTIONS) - 1)


def test_error_of_no_section_is_shown_at_the_top(panel_of):
    panel = panel_of(BLOCKS)
    panel.session.report_error(SpecError("file", "is not a valid scenario"))
    assert panel.message.text() == "is not a valid scenario"
    assert panel.message.isVisible()


def test_invalid_text_is_reported_while_the_last_valid_state_stays(panel_of, qtbot):
    panel = panel_of(TORUS)
    type_over(panel, "network.dims", "8 by 8", enter=False)
    form = panel.sections["network"].form
    qtbot.waitUntil(lambda: error_text(form, "dims") != "")
    assert error_text(form, "dims") == "give numbers such as 8 × 8 × 8"
    assert body(panel, "network.dims").text() == "8 by 8"
    assert panel.state.wanted == TORUS
    assert panel.sections["network"].remedies.isHidden()
    type_over(panel, "network.dims", "8 8 8")
    assert panel.state.error is None
    assert error_text(form, "dims") == ""


def test_value_outside_its_declaration_has_a_readable_error(panel_of):
    panel = panel_of(TORUS)
    type_over(panel, "network.dims", "1 2 1 2 1 2 1 2 1")
    assert error_text(panel.sections["network"].form, "dims") == "give numbers such as 8 × 8, at most 8 of them"
    assert panel.state.wanted == TORUS


def test_remedies_of_a_job_that_is_too_large_are_named_after_their_effect(panel_of):
    panel = panel_of(BLOCKS)
    type_over(panel, "job.rows", "128")
    section = panel.sections["mapping"]
    assert section.message.text().startswith("8,192 tasks do not fit 4,096 slots")
    links = section.remedies.links
    assert [link.text() for link in links] == [
        "Use 64 × 64 tasks", "Use 8 tasks per node", "Grow to 2,048 nodes",
    ]  # fmt: skip
    QTest.mouseClick(links[1], Qt.MouseButton.LeftButton)
    assert panel.state.error is None
    assert panel.state.wanted.network == Percs(32, 4, slots_per_node=8)
    assert panel.state.wanted.job == Halo(128, 64)
    assert section.remedies.isHidden()
    assert panel.state.history.undo_name == "Use 8 tasks per node"


def test_a_smaller_network_takes_as_much_of_the_job_as_fits(panel_of):
    panel = panel_of(BLOCKS)
    type_over(panel, "network.supernodes", "2")
    assert panel.state.error is None
    assert panel.state.wanted == Scenario(Percs(2, 4), Halo(16, 16), Blocks(8, 16), PercsDirect())
    assert body(panel, "job.rows").lineEdit().text() == "16"


def test_no_remedy_is_offered_if_none_helps(panel_of):
    panel = panel_of(BLOCKS)
    type_over(panel, "network.supernodes", "4096")
    assert "must be at most 10,000,000" in error_text(panel.sections["network"].form, "supernodes")
    assert panel.sections["network"].remedies.isHidden()


def test_no_remedy_is_offered_for_invalid_text(panel_of):
    panel = panel_of(BLOCKS)
    type_over(panel, "job.rows", "9x")
    assert error_text(panel.sections["job"].form, "rows").startswith("give a whole number")
    assert panel.sections["job"].remedies.isHidden()


def test_another_network_family_gets_a_routing_and_job_that_fit(panel_of):
    panel = panel_of(replace(BLOCKS, mapping=ModColour()))
    choose_family(panel, "network", Torus)
    assert panel.state.error is None
    assert panel.state.wanted == Scenario(Torus(), Halo(16, 32), Sequential(), DimensionOrder())
    assert panel.sections["routing"].combo.currentText() == "Dimension order"
    assert body(panel, "network.dims").text() == "8 × 8 × 8"


def test_values_of_a_family_are_kept_while_another_is_shown(panel_of):
    panel = panel_of(BLOCKS)
    type_over(panel, "mapping.rows", "4")
    choose_family(panel, "mapping", Random)
    assert panel.state.wanted.mapping == Random()
    choose_family(panel, "mapping", Blocks)
    assert panel.state.wanted.mapping == Blocks(4, 16)
    assert body(panel, "mapping.rows").lineEdit().text() == "4"


def test_new_job_has_a_size_that_fits(panel_of):
    panel = panel_of(TORUS)
    choose_family(panel, "job", Transpose)
    assert panel.state.wanted.job == Transpose(16, 32)
    choose_family(panel, "job", AllToAll)
    assert panel.state.wanted.job == AllToAll(512)
    assert panel.state.error is None
    choose_family(panel, "job", Permutation)
    assert panel.state.evaluation.case.job.tasks == 512


def test_routings_that_do_not_route_the_network_are_disabled_with_the_reason(panel_of):
    panel = panel_of(BLOCKS)
    combo = panel.sections["routing"].combo

    def enabled():
        return {combo.itemData(row): combo.model().item(row).isEnabled() for row in range(combo.count())}

    own = {PercsDirect: True, PercsIndirect: True, DimensionOrder: False, Adaptive: False}
    assert own.items() <= enabled().items()
    assert enabled()[Minimal]
    row = next(row for row in range(combo.count()) if combo.itemData(row) is Adaptive)
    assert "torus, mesh and hypercube networks only" in combo.itemData(row, Qt.ItemDataRole.ToolTipRole)
    choose_family(panel, "network", Mesh)
    own = {PercsDirect: False, PercsIndirect: False, DimensionOrder: True, Adaptive: True}
    assert own.items() <= enabled().items()
    assert enabled()[Minimal]


def test_custom_mapping_is_offered_only_while_in_use(panel_of):
    explicit = Explicit(tuple(reversed(range(4096))))
    panel = panel_of(replace(BLOCKS, mapping=explicit))
    section = panel.sections["mapping"]
    assert section.combo.currentText() == "Custom"
    assert isinstance(section.form.editors["slots"], SummaryEditor)
    assert section.form.editors["slots"].label.text() == "4,096 entries"
    choose_family(panel, "mapping", Sequential)
    assert section.combo.findText("Custom") == -1


def test_flows_show_the_size_of_their_file_and_accept_another(panel_of, tmp_path):
    (tmp_path / "a.csv").write_text("src,dst,volume\n0,9,5\n")
    panel = panel_of(replace(FLOWS, folder=tmp_path))
    form = panel.sections["job"].form
    assert form.editors["src"].label.text() == "2 entries"
    type_over(panel, "job.file", "a.csv")
    assert "cannot be combined with src, dst and volume" in error_text(form, "file")
    for name in ("src", "dst", "volume"):
        QTest.mouseClick(form.editors[name].button, Qt.MouseButton.LeftButton)
    assert panel.state.wanted.job == Flows(file="a.csv")
    assert panel.state.error is None
    assert not form.editors["src"].isVisible()
    type_over(panel, "job.file", "b.csv")
    assert "no such file in the scenario's folder" in error_text(form, "file")
    assert form.editors["file"].folder == tmp_path


def test_mapping_is_read_from_a_file_in_the_scenarios_folder(panel_of, tmp_path):
    (tmp_path / "hosts.txt").write_text("n2 slots=2\n")
    (tmp_path / "ranks.txt").write_text("rank 0=n3 slot=1\nrank 1=n0 slot=0\n")
    (tmp_path / "topology.conf").write_text("SwitchName=s Nodes=n[0-3]\n")
    job = Flows(src=(0,), dst=(1,), volume=(1.0,))
    panel = panel_of(Scenario(Torus((2, 2), slots_per_node=2), job, Sequential(), DimensionOrder(), folder=tmp_path))
    panel.session.choose("mapping", FromFile())
    section = panel.sections["mapping"]
    assert section.choose_file.text() == "Choose a mapping file …"
    assert section.choose_file.isVisible()
    assert (section.message.text(), error_text(section.form, "file")) == ("", "")
    type_over(panel, "mapping.file", "hosts.txt")
    assert panel.state.evaluation.case.mapping.slots.tolist() == [4, 5]
    assert "hostfile gives only capacities" in section.warning.text()
    type_over(panel, "mapping.file", "topology.conf")
    assert "this is a Slurm topology.conf (choose it as the network)" in error_text(section.form, "file")
    type_over(panel, "mapping.file", "ranks.txt")
    assert panel.state.evaluation.case.mapping.slots.tolist() == [7, 0]
    assert section.choose_file.isHidden()
    assert panel.state.wanted.mapping == FromFile(file="ranks.txt")
    assert (section.warning.text(), panel.state.error) == ("", None)


@pytest.mark.parametrize(
    ("choice", "family", "title"),
    [
        ("network", Edges, "Choose a network file"),
        ("job", Flows, "Choose a trace file"),
        ("mapping", FromFile, "Choose a mapping file"),
    ],
)
def test_family_that_needs_a_file_opens_the_dialog_and_cancel_changes_nothing(
    panel_of, dialogs, tmp_path, choice, family, title
):
    panel = panel_of(replace(BLOCKS, folder=tmp_path))
    section, chosen = panel.sections[choice], []
    panel.file_chosen.connect(lambda *file: chosen.append(file))
    choose_family(panel, choice, family)
    assert dialogs.asked == [(title, str(tmp_path))]
    assert panel.state.wanted == replace(BLOCKS, folder=tmp_path)
    assert section.combo.currentText() == getattr(BLOCKS, choice).title
    assert (panel.state.error, chosen) == (None, [])
    dialogs.answer = tmp_path / "some.txt"
    choose_family(panel, choice, family)
    assert chosen == [(choice, tmp_path / "some.txt", family())]


def test_a_job_without_a_file_asks_for_one_without_an_error(panel_of, dialogs, tmp_path):
    panel = panel_of(FLOWS)
    panel.session.choose("job", Flows())
    section = panel.sections["job"]
    assert (section.choose_file.text(), section.choose_file.isVisible()) == ("Choose a trace file …", True)
    assert (section.message.text(), error_text(section.form, "file")) == ("", "")
    assert not body(panel, "job.file").property("wrong")
    assert panel.state.remedies == ()
    chosen, dialogs.answer = [], tmp_path / "some.csv"
    panel.file_chosen.connect(lambda *file: chosen.append(file))
    QTest.mouseClick(section.choose_file, Qt.MouseButton.LeftButton)
    QTest.mouseClick(section.form.editors["file"].button, Qt.MouseButton.LeftButton)
    assert chosen == [("job", tmp_path / "some.csv", Flows())] * 2


def test_warnings_of_the_network_are_shown_while_it_is_wanted(panel_of):
    panel = panel_of(replace(BLOCKS, network=Percs(32, 32)))
    warning = panel.sections["network"].warning.text()
    assert "D ports per node" in warning
    type_over(panel, "network.supernodes", "4096")
    assert panel.sections["network"].warning.text() == ""


@pytest.mark.parametrize("place", ["outside", "in the section", "elsewhere"])
def test_an_error_is_brought_into_view_unless_another_section_is_edited(panel_of, tmp_path, qtbot, place):
    (tmp_path / "ranks.txt").write_text("rank 0=nowhere slot=0\n")
    panel = panel_of(replace(TORUS, folder=tmp_path))
    panel.resize(250, 300)
    area = panel.findChild(QScrollArea)
    area.verticalScrollBar().setValue(0)
    {
        "outside": area.viewport(),
        "in the section": panel.sections["mapping"].combo,
        "elsewhere": body(panel, "network.dims"),
    }[place].setFocus()
    area.verticalScrollBar().setValue(0)
    panel.session.choose("mapping", FromFile(file="ranks.txt"))
    message = panel.sections["mapping"].error_label
    assert "nowhere is not a node" in message.text()
    QTest.qWait(3 * SCROLL_MS)
    assert (message.visibleRegion().isEmpty()) == (place == "elsewhere")


def test_fields_for_other_formats_are_hidden_unless_changed(panel_of, tmp_path):
    (tmp_path / "ib.txt").write_text(TWO_CABLES)
    (tmp_path / "net.dot").write_text("graph { a -- b; b -- c; c -- a; }")
    panel = panel_of(Scenario(Edges(file="net.dot"), AllToAll(tasks=2), Sequential(), Minimal(), folder=tmp_path))
    form = panel.sections["network"].form

    def shown():
        return {editor.field.name for editor in form.visible_editors} & {*OPTIONS}

    assert not shown()
    type_over(panel, "network.file", "ib.txt")
    assert shown() == {"node_of", "leave_out", "unknown_gbs"}
    type_over(panel, "network.unknown_gbs", "3")
    type_over(panel, "network.file", "net.dot")
    assert shown() == {"unknown_gbs"}
    assert "the field unknown_gbs does not apply to a DOT graph" in panel.sections["network"].warning.text()


def test_external_changes_are_shown_without_an_echo(panel_of, log_of):
    panel = panel_of(BLOCKS)
    log = log_of(panel.session)
    panel.session.open(TORUS, None)
    assert panel.sections["network"].combo.currentText() == "Torus"
    assert body(panel, "job.cols").lineEdit().text() == "32"
    assert not log.of(ChangeSet.MAPPING)[1:]  # nothing is requested again
    assert not panel.state.dirty


def test_typed_text_is_replaced_by_another_scenario(panel_of, qtbot):
    panel = panel_of(BLOCKS)
    type_over(panel, "network.supernodes", "16", enter=False)
    panel.session.open(replace(BLOCKS, network=Percs(8, 4), job=Halo(32, 32)), None)
    qtbot.wait(TYPING_PAUSE_MS + 100)
    assert panel.state.wanted.network == Percs(8, 4)
    assert body(panel, "network.supernodes").lineEdit().text() == "8"


def test_typed_text_survives_other_changes(panel_of):
    panel = panel_of(BLOCKS)
    type_over(panel, "network.supernodes", "1", enter=False)
    panel.session.select(Item("link", 3))
    panel.session.report_error(SpecError("job.rows", "is wrong"))
    assert body(panel, "network.supernodes").lineEdit().text() == "1"


def test_closing_while_typing_is_quiet(show, qtbot):
    session = Session.of(BLOCKS)
    panel = show(BuildPanel(session), 250, 900)
    type_over(panel, "network.supernodes", "16", enter=False)
    session.close()
    panel.close()  # an exception in a slot fails the test
    qtbot.wait(TYPING_PAUSE_MS + 100)
    assert session.state.evaluation.case.network.nodes == 1024


def test_hidden_panel_catches_up(panel_of):
    panel = panel_of(BLOCKS)
    panel.hide()
    panel.session.choose("job", Halo(32, 128))
    assert body(panel, "job.rows").lineEdit().text() == "64"
    panel.show()
    assert body(panel, "job.rows").lineEdit().text() == "32"


@pytest.mark.parametrize("width", [216, 250])
@pytest.mark.parametrize("scenario", [BLOCKS, TORUS, FLOWS], ids=["percs", "torus", "flows"])
def test_panel_fits_its_width(panel_of, scenario, width):
    panel = panel_of(scenario, width)
    area = panel.findChild(QScrollArea)
    room = area.viewport().width()
    assert area.widget().width() == room
    assert area.widget().minimumSizeHint().width() <= room


def test_tab_order_is_top_to_bottom_with_forms_made_later(panel_of):
    panel = panel_of(BLOCKS)
    choose_family(panel, "network", Torus)
    panel.browse.setFocus()
    stops = []
    while panel.window().focusWidget() not in stops:
        stops.append(panel.window().focusWidget())
        QTest.keyClick(stops[-1], Qt.Key.Key_Tab)
    heights = [stop.mapTo(panel, QPoint(0, 0)).y() for stop in stops]
    assert len(stops) >= 10
    assert heights == sorted(heights)
    assert panel.window().focusWidget() is stops[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4 x 99999", "give numbers such as 8 × 8, each at most 65,536"),
        ("4 x 0", "give numbers such as 8 × 8, each at least 1"),
        ("4 x 2.5", "give numbers such as 8 × 8, all whole numbers"),
        ("1 1 1 1 1 1 1 1 2", "give numbers such as 8 × 8, at most 8 of them"),
        ("4 x", ""),
    ],
)
def test_invalid_dimensions_have_an_error_with_the_limit(panel_of, text, message):
    panel = panel_of(TORUS)
    type_over(panel, "network.dims", text)
    assert error_text(panel.sections["network"].form, "dims") == message


def test_timing_is_offered_for_jobs_with_steps(panel_of):
    steps = Scenario(Torus((4, 4)), Allreduce(tasks=16), Sequential(), DimensionOrder())
    panel = panel_of(steps)
    session, section = panel.session, panel.sections["timing"]
    assert section.isVisible()
    assert session.state.wanted.timing is None
    type_over(panel, "timing.hop_seconds", "2e-6")
    assert session.state.wanted.timing == BarrierTiming(hop_seconds=2e-6)
    assert session.state.history.undo_name == "Latency 0 → 2e-06"
    choose_family(panel, "timing", FairShare)
    assert session.state.wanted.timing == FairShare()
    assert session.state.history.undo_name == "timing barrier → fair share"
    session.editing.undo()
    session.editing.undo()
    # Omitted as before, the file stays as it is.
    assert session.state.wanted == steps
    assert body(panel, "timing.hop_seconds").value == 0
    session.choose("job", AllToAll(16))
    assert not section.isVisible()


def test_unused_fields_are_hidden(panel_of):
    panel = panel_of(replace(BLOCKS, job=AllToAll(32), mapping=Sequential()))
    for name, shown in (("network.d_links", True), ("network.d_gbs", True), ("job.per_node", False)):
        assert body(panel, name).isVisible() == shown
    type_over(panel, "network.supernodes", "1")
    assert panel.state.wanted.network.supernodes == 1
    assert not body(panel, "network.d_links").isVisible()
    assert not body(panel, "network.d_gbs").isVisible()


def test_error_of_a_part_names_the_part(panel_of):
    parts = Allreduce(tasks=16, message_bytes=8.0), Allreduce(tasks=16, message_bytes=8.0)
    panel = panel_of(replace(TORUS, job=Sequence(parts=parts)))
    editor = panel.sections["job"].form.editors["parts"]
    editor.list.setCurrentRow(1)
    line = editor.form.form.editors["tasks"].body.lineEdit()
    line.selectAll()
    QTest.keyClicks(line, "8")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert error_text(panel.sections["job"].form, "parts").startswith("Part 2: has 8 tasks, but part 1 has 16")
    QTest.mouseClick(editor.remove, Qt.MouseButton.LeftButton)
    assert panel.state.wanted.job == Sequence(parts=parts[:1])
    assert panel.state.error is None


@pytest.mark.parametrize(
    ("field", "text", "way"),
    [
        ("network.supernodes", "99999999", "escape"),
        ("network.supernodes", "99999999", "undo"),
        ("network.supernodes", "x", "escape"),
        ("job.rows", "999", "undo"),  # an error of the entire section
    ],
)
def test_esc_and_undo_restore_a_refused_field_and_nothing_else(panel_of, field, text, way):
    panel = panel_of(Scenario(Percs(32, 4), Halo(64, 64), Sequential(), PercsDirect()))
    good, old = panel.session.state.wanted, body(panel, field).lineEdit().text()
    type_over(panel, field, text)
    assert panel.session.state.undoes
    assert body(panel, field).lineEdit().text() == text
    if way == "escape":
        QTest.keyClick(body(panel, field), Qt.Key.Key_Escape)
    else:
        panel.session.editing.undo()
    assert body(panel, field).lineEdit().text() == old
    assert not body(panel, field).property("wrong")
    assert (panel.session.state.wanted, panel.session.state.error, panel.session.state.undoes) == (good, None, "")
