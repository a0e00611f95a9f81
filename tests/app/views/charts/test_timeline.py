"""The timeline: a block for each step over a row for each link class, at the cost of the pixels."""

import itertools
import threading
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from msgspec.structs import replace as replace_field
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtTest import QTest

import app.session.moments
import app.session.timekeeper
from app.actions.table import ACTIONS
from app.model.changes import ChangeSet
from app.model.pointing import Item, flow_item, title
from app.model.state_groups import ComparisonMode, SearchPhase
from app.model.subject import links_of_item
from app.panels.bottleneck.panel import BottleneckPanel
from app.session.session import Session
from app.session.watcher import MAX_PINNED
from app.storage.pictures import save_picture
from app.style.colour import lookup_table
from app.style.theme import DARK, LIGHT
from app.views.charts.distribution import DistributionView
from app.views.charts.histogram import histograms
from app.views.charts.player import SPEEDS
from app.views.charts.timeline import TimelineView
from app.views.charts.timeline_lanes import BLOCK_PX, Bands, Columns, layout_for, runs
from app.views.charts.timeline_ranks import waiting
from app.views.charts.timeline_readout import readout
from app.window.status_bar import status_text
from core.job import Allreduce, AllToAll, Flows, Halo, Sequence, TransposePhases
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import occupants, swapped
from core.network import Mesh, Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from core.spec import SpecError
from core.timing import FairShare, timeline
from tests.app.sessions import with_fields
from tests.app.views.seen import colour_at, colours
from tests.pointer import move, press, release

NODES = Scenario(
    Percs(supernodes=1, slots_per_node=1),
    AllToAll(tasks=32, algorithm="pairwise", message_bytes=1e9),
    Sequential(),
    PercsDirect(),
)
"""31 steps on 32 nodes: the first 7 wait for LL, the others for LR."""
MANY = replace(
    NODES,
    network=Torus((8, 8)),
    job=AllToAll(tasks=64, algorithm="pairwise", message_bytes=1e9),
    routing=DimensionOrder(),
)
ONE = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder())
LEFT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


@pytest.fixture
def view(session_of, shown):
    return shown(TimelineView(session_of(NODES)), 620, 220)


def strip(view, number=-1):
    """Return the parts of a timeline, by default of the timeline on screen."""
    return view.plot.chart.strips[number]


def rows(view):
    """The rows, in pixels of the chart."""
    return strip(view).lanes.rows


def bands(view):
    return view.plot.chart.content.bands[-1]


def extent(view, step):
    """The rectangle of a step, in pixels of the chart."""
    return strip(view).steps.extent(step).translated(strip(view).lanes.area.topLeft())


def all_columns(timed, width):
    return Columns(Bands(timed), width, 0.0, timed.seconds)


def port(view):
    """What pointer events are sent to."""
    return view.plot.chart.viewport()


def middle(view, step):
    return extent(view, step).center().toPoint()


def point(view, step):
    move(port(view), middle(view, step) + QPoint(1, 9), middle(view, step), steps=2, button=NO_BUTTON)


@pytest.mark.parametrize("scenario", [NODES, MANY, ONE], ids=["31", "63", "1"])
@pytest.mark.parametrize("width", [20, 47, 400])
def test_a_pixel_shows_the_mean_of_its_time_and_the_highest_of_its_steps(scenario, width):
    timed = timeline(scenario.build())
    columns = all_columns(timed, width)
    case = timed.case
    busy, mean = np.zeros((width, timed.busy.shape[1])), np.zeros((width, timed.busy.shape[1]))
    for k, step in enumerate(timed.steps):
        first = min(round(step.start / timed.seconds * width), width - 1)
        end = max(round((step.start + step.seconds) / timed.seconds * width), first + 1)
        part = np.diff(np.clip(np.arange(width + 1) / width * timed.seconds - step.start, 0, step.seconds))
        for c, links in enumerate(case.network.classes):
            could = case.gbs[links.links].sum() * step.seconds
            for pixel in range(first, end):
                busy[pixel, c] = max(busy[pixel, c], timed.busy[k, c] / step.seconds)
            mean[:, c] += timed.sent[k, c] / could * part / timed.seconds * width
    np.testing.assert_allclose(columns.values[0], np.maximum(busy, mean), atol=1e-9)
    np.testing.assert_allclose(columns.values[1], mean, atol=1e-9)
    np.testing.assert_allclose(columns.values[1].mean(axis=0), columns.bands.shares)
    assert columns.values[0].max() == pytest.approx(1.0)


def test_steps_side_by_side_add_up():
    # Both at once under fair share, each on one of six links.
    flows = (Flows(tasks=4, src=(u,), dst=(u + 1,), volume=(1.0,)) for u in (0, 2))
    scenario = Scenario(Mesh((4,)), Sequence(parts=tuple(flows)), Sequential(), DimensionOrder(), timing=FairShare())
    columns = all_columns(timeline(scenario.build()), 50)
    assert [step.start for step in columns.bands.timeline.steps] == [0, 0]
    assert columns.bands.shares == pytest.approx([2 / 6])
    np.testing.assert_allclose(columns.values[1], 2 / 6)
    np.testing.assert_allclose(columns.values[0], 1.0)


@pytest.mark.parametrize("width", [20, 100, 400])
def test_never_more_rectangles_than_pixels(width):
    columns = all_columns(timeline(MANY.build()), width)
    drawn = columns.own.size + len(columns.merged)
    assert 0 < drawn <= width
    covered = np.zeros(width, int)
    for first, end, _ in columns.merged:
        covered[first:end] += 1
    assert covered.max(initial=0) <= 1
    for k in columns.own.tolist():
        assert columns.edges[k, 1] - columns.edges[k, 0] >= BLOCK_PX
    assert len(list(runs(columns.values[0][:, 0]))) <= width


def test_the_bottleneck_class_is_full_and_the_mean_is_a_band_in_its_colour(view):
    busiest, seen = lookup_table("heat", True), colours(view.plot)
    first, last = extent(view, 3), extent(view, 20)
    upper, lower = rows(view)
    full = QColor(*busiest[255].tolist()).name()
    # LL: all of it in the first seven steps; LR carries nothing then.
    assert seen((int(first.center().x()), int(upper.center().y()))) == full
    assert seen((int(first.center().x()), int(lower.center().y()))) == DARK.field
    mean = float(bands(view).parts[1][20, 1])
    assert 0.2 < mean < 0.5
    where = int(last.center().x()), int(lower.bottom() - mean * lower.height() / 2)
    assert seen(where) == QColor(*busiest[round(mean * 255)].tolist()).name()
    assert seen((where[0], int(lower.top() + 12))) == DARK.field
    # Blocks carry the colour of the class that they wait for.
    for step, role in ((3, 0), (20, 1)):
        block = extent(view, step)
        assert seen((int(block.left()) + 2, int(block.top()) + 1)) == DARK.roles[role]


def test_cached_pixels_equal_a_new_drawing(view, session_of, shown):
    def seen(timeline):
        return timeline.plot.grab().toImage()

    session, pictures = view.session, []
    for change in (
        lambda: session.timekeeper.go_to(12),
        lambda: session.timekeeper.go_to(13),
        lambda: session.set_theme(LIGHT),
        lambda: view.resize(500, 260),
        lambda: session.timekeeper.go_to(None),
    ):
        change()
        pictures.append(seen(view))
        fresh = shown(TimelineView(session), view.width(), view.height())
        assert pictures[-1] == seen(fresh)
    assert all(picture != next_picture for picture, next_picture in itertools.pairwise(pictures))


def test_pointing_reads_out_a_step(view):
    assert view.subtitle() == "31 steps · 683.3 ms"
    point(view, 12)
    assert (view.pointed.step, view.pointed.row) == (12, 0)
    lines = readout(bands(view), 12)
    assert lines[0] == "step 13 of 31: r <-> r XOR 13"
    assert lines[1].startswith("starts at ")
    named = "task 0 → 13, 1 → 12, 2 → 15 …"
    assert lines[2:] == ["32 messages, 60 hops", named, "limited by LR links, mean utilisation 33 %"]
    box = view.plot.grab().toImage()
    point(view, 29)
    assert view.pointed.step == 29
    assert view.plot.grab().toImage() != box
    outside = QPoint(3, view.plot.height() // 2)
    move(port(view), outside + QPoint(2, 0), outside, steps=2, button=NO_BUTTON)
    assert view.pointed is None


def test_every_step_is_found_where_it_is_drawn(view):
    for step in range(31):
        assert strip(view).step_at(QPointF(middle(view, step))) == step


def test_of_several_steps_on_a_pixel_the_one_that_runs_then_is_read_out(qapp):
    timed = timeline(MANY.build())
    narrow = all_columns(timed, 40)
    assert narrow.width < len(timed.steps)
    for part in (0.1, 0.5, 0.9):
        step = narrow.step_at(part * narrow.width)
        assert abs(timed.steps[step].start - part * timed.seconds) <= 2 * timed.seconds / narrow.width


def test_a_job_of_one_phase_is_one_block(session_of, shown):
    view = shown(TimelineView(session_of(ONE)), 500, 200)
    assert extent(view, 0).width() == strip(view).lanes.blocks.width()
    assert readout(bands(view), 0)[0] == "step 1 of 1"


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("size", [(540, 170), (1000, 300)], ids=str)
def test_it_lies_inside_the_picture(session_of, theme, size):
    session = session_of(NODES, theme)
    (lanes_laid,) = layout_for([Bands(timeline(NODES.build()))], QSizeF(*size), QFont()).lanes
    assert QRectF(0, 0, *size).contains(lanes_laid.area)
    assert lanes_laid.area.right() + 12 <= size[0]
    image = QImage(QSize(*size), QImage.Format.Format_RGB32)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    TimelineView(session).paint_to(painter, QRectF(0, 0, *size))
    painter.end()
    assert len({image.pixelColor(x, y).name() for x in range(0, size[0], 5) for y in range(0, size[1], 5)}) > 6


def test_it_is_exported_as_on_screen(session_of, tmp_path):
    session = session_of(NODES)
    path = tmp_path / "timeline.svg"
    save_picture(path, (900, 300), DARK, TimelineView(session).paint_to)
    text = path.read_text(encoding="utf-8")
    assert "31 steps" in text
    assert "LR" in text


def test_the_timeline_is_computed_off_the_gui_thread_only_while_visible(qtbot, monkeypatch):
    threads = []

    def slow(case, progress):
        threads.append(threading.current_thread())
        return timeline(case, progress)

    monkeypatch.setattr(app.session.timekeeper, "detailed_timeline", slow)
    session = Session.of(NODES)
    view = TimelineView(session)
    qtbot.addWidget(view)
    session.set_theme(LIGHT)
    assert not threads
    view.show()
    qtbot.waitUntil(lambda: view.timeline is not None)
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    # Another look is not another search; another scenario is.
    view.hide()
    view.show()
    assert len(threads) == 1
    session.choose("job", AllToAll(tasks=32, algorithm="pairwise", message_bytes=2e9))
    qtbot.waitUntil(lambda: view.timeline is not None and view.timeline.seconds > 1.3)
    assert len(threads) == 2
    session.close()


def test_the_computation_can_be_cancelled_and_restarted(qtbot, monkeypatch):
    go_on = threading.Event()

    def slow(case, progress):
        while not go_on.wait(0.005):
            progress(0.25)
        return timeline(case, progress)

    monkeypatch.setattr(app.session.timekeeper, "detailed_timeline", slow)
    session = Session.of(NODES)
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(view._stop.isVisible)
    qtbot.waitUntil(lambda: session.state.time.timeline_progress == 0.25)
    QTest.mouseClick(view._stop, Qt.MouseButton.LeftButton)
    assert not session.timekeeper._runner.busy
    assert view._stop.text() == "Compute"
    go_on.set()
    QTest.mouseClick(view._stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view.timeline is not None)
    assert not view._stop.isVisible()
    session.close()


def test_a_job_without_a_timing_shows_the_reason(session_of, shown, monkeypatch):
    def refuse(case, progress):
        raise SpecError("timing", "does not fit")

    monkeypatch.setattr(app.session.timekeeper, "detailed_timeline", refuse)
    view = shown(TimelineView(session_of(NODES)), 500, 200)
    assert view.timeline is None
    assert view.state.time.timeline_refused == "Timing: does not fit"


def loads_alone(session, step):
    """The loads of one step, from a job of which it is all there is."""
    case = session.state.evaluation.case
    return evaluate(replace(case, job=replace(case.job, phases=(case.job.phases[step],)))).load


def test_a_click_shows_that_step_alone_in_every_view(session_of, shown):
    session = session_of(NODES)
    view, other = shown(TimelineView(session), 620, 220), shown(DistributionView(session), 400, 200)
    panel = BottleneckPanel(session)
    panel.refresh(ChangeSet.ALL)
    report = session.state.report
    QTest.mouseClick(port(view), LEFT, pos=middle(view, 12))
    assert session.state.time.step == 12
    assert session.state.evaluation.report is report
    np.testing.assert_array_equal(session.state.report.load, loads_alone(session, 12))
    # 100 % is that step's hottest link.
    assert session.state.utilisation.max() == pytest.approx(1.0)
    assert session.state.full_scale_time == pytest.approx(view.timeline.steps[12].seconds)
    counted = [chart.idle for chart in other.histograms]
    assert counted == [chart.idle for chart in histograms(session.state)]
    assert view.subtitle() == "31 steps · 683.3 ms · step 13 of 31: r <-> r XOR 13"
    assert view.player.text.text() == "step 13 of 31: r <-> r XOR 13"
    assert status_text(session.state).startswith("step 13 of 31: r <-> r XOR 13 · 32 tasks")
    panel.refresh(ChangeSet.LOADS)
    assert panel.headline.limit.text() == "Bottleneck: LR"
    assert panel.headline.change.isHidden()
    QTest.mouseClick(view.player.all, LEFT)
    assert session.state.time.step is None
    assert session.state.report is report
    assert sum(chart.idle for chart in other.histograms) < sum(counted)


def test_dragging_takes_the_cursor_along_and_stays_within_the_job(view):
    end = QPoint(view.plot.width() - 1, 5)
    press(port(view), middle(view, 10))
    move(port(view), middle(view, 10), middle(view, 14), steps=4)
    assert view.under_cursor == 14
    move(port(view), middle(view, 14), end, steps=3)
    assert view.under_cursor == 30
    assert view.pointed is None
    release(port(view), end)
    # It is seen where it stands.
    area = extent(view, 30)
    assert colour_at(view.plot, (int(area.left()) + 1, int(area.bottom()) - 20)) == DARK.accent


def test_keys_step_through_and_play(view, monkeypatch):
    view.plot.setFocus()
    point(view, 12)
    steps = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Home):
        QTest.keyClick(view.plot, key)
        steps.append(view.under_cursor)
    assert steps == [0, 1, 30, 30, 29, 0]
    assert view.pointed is None
    now = [100.0]
    monkeypatch.setattr("app.views.charts.player.time.perf_counter", lambda: now[0])
    QTest.keyClick(view.plot, Qt.Key.Key_Space)
    assert view.player.playing
    now[0] += 5.0
    view.player._on_frame_due()
    half = view.timeline.seconds / 2
    step = view.timeline.steps[view.under_cursor]
    assert step.start <= half < step.start + step.seconds
    QTest.keyClick(view.plot, Qt.Key.Key_Space)
    assert not view.player.playing
    view.player.speed.setCurrentIndex(SPEEDS.index(4.0))
    QTest.keyClick(view.plot, Qt.Key.Key_Space)
    now[0] += 2.0
    view.player._on_frame_due()
    assert view.under_cursor == 30
    assert not view.player.playing


@pytest.mark.parametrize("quick", [0.0, inf])
def test_it_plays_off_the_gui_thread_unless_steps_are_computed_instantly(qtbot, monkeypatch, quick):
    monkeypatch.setattr(app.session.timekeeper, "MAX_GUI_SECONDS", quick)
    threads = set()

    def seen(case, progress):
        threads.add(threading.current_thread())
        return evaluate(case, progress)

    monkeypatch.setattr(app.session.moments, "evaluate", seen)
    session = Session.of(NODES)
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: view.timeline is not None)
    shown = []
    session.changed.connect(lambda changes: shown.append(session.state.moment))
    view.player.speed.setCurrentIndex(SPEEDS.index(4.0))
    view.player.toggle()
    qtbot.waitUntil(lambda: not view.player.playing, timeout=20_000)
    qtbot.waitUntil(lambda: session.state.moment is not None and session.state.moment.step == 30)
    # Their duration is known once one was computed in a thread.
    assert len(threads - {threading.main_thread()}) == 1
    assert (threading.main_thread() in threads) == (quick > 0)
    assert len({moment.step for moment in shown if moment is not None}) > 5
    session.close()


def test_an_edit_moves_the_loads_under_the_cursor_too(view, qtbot):
    session = view.session
    session.timekeeper.go_to(3)
    before = session.state.report.load
    case = session.state.evaluation.case
    slots, held = case.mapping.slots, occupants(case.mapping, case.network.slots)
    session.editing.apply(swapped(case.mapping, slots[[0]], slots[[9]], held), "Swap")
    assert session.state.moment is not None
    assert not np.array_equal(session.state.report.load, before)
    np.testing.assert_array_equal(session.state.report.load, loads_alone(session, 3))
    qtbot.waitUntil(lambda: view.timeline.case is session.state.evaluation.case)


def dragged(session, task):
    """Begin or continue a drag that would swap task 0 with another."""
    if not session.editing.active:
        assert session.editing.begin("Move")
    mapping = session.editing.gesture_edit.inverse().applied(session.state.evaluation.case.mapping)
    session.editing.replace_edit(swapped(mapping, [0], [task], occupants(mapping, 32)))


def test_the_step_under_the_cursor_follows_them_too(view, qtbot):
    session = view.session
    session.timekeeper.go_to(3)
    qtbot.waitUntil(lambda: session.state.moment is not None)
    before, moments = session.state.report.load, []
    session.changed.connect(lambda changes: moments.append(session.state.moment))
    for task in (20, 9):
        dragged(session, task)
        assert session.state.moment.step == 3
        np.testing.assert_array_equal(session.state.report.load, loads_alone(session, 3))
        assert session.state.report.time == evaluate(session.state.shown.case).time
        assert not np.array_equal(session.state.report.load, before)
    assert None not in moments  # no view has seen the whole job meanwhile
    session.editing.cancel()
    qtbot.waitUntil(lambda: session.state.moment is not None)
    np.testing.assert_array_equal(session.state.report.load, before)


def test_it_follows_tasks_that_are_dragged(view, qtbot, monkeypatch):
    session, before = view.session, view.timeline
    monkeypatch.setattr(app.session.timekeeper, "detailed_timeline", None)  # nothing is recomputed
    for task in (20, 9):
        dragged(session, task)
        qtbot.waitUntil(lambda: view.timeline.case is session.state.evaluation.case)
        fresh = timeline(view.timeline.case)
        assert view.timeline.steps == fresh.steps != before.steps
        np.testing.assert_array_equal(view.timeline.busy, fresh.busy)


@pytest.mark.parametrize("brief", [inf, -1.0], ids=["at once", "when they are let go"])
def test_a_timeline_that_cannot_follow_an_edit_is_recomputed(session_of, shown, qtbot, monkeypatch, brief):
    session = session_of(replace(NODES, timing=FairShare()))
    view = shown(TimelineView(session), 500, 200)
    qtbot.waitUntil(lambda: view.timeline is not None)
    before = view.timeline
    monkeypatch.setattr(app.session.timekeeper, "MAX_LIVE_SECONDS", brief)
    dragged(session, 20)
    if brief < 0:
        assert session.timekeeper.current is None
        assert view.timeline is before
        session.editing.commit()
    qtbot.waitUntil(lambda: view.timeline.case is session.state.evaluation.case)
    assert view.timeline.steps == timeline(view.timeline.case).steps != before.steps


def test_the_cursor_leaves_a_job_that_has_no_such_step_and_a_comparison(view):
    session = view.session
    session.timekeeper.go_to(20)
    session.set_reference(session.state.evaluation)
    assert session.state.time.step is None
    assert not view.player.play.isEnabled()
    session.compare(ComparisonMode.OFF)
    session.timekeeper.go_to(20)
    assert session.state.moment is not None
    session.choose("job", AllToAll(tasks=8, algorithm="pairwise", message_bytes=1e9))
    assert session.state.time.step is None
    assert session.state.report is session.state.evaluation.report


def busy_alone(case, step, links):
    """How full the fullest of some links is in one step, and how full all are together, taken from that step alone."""
    report = evaluate(replace(case, job=replace(case.job, phases=(case.job.phases[step],))))
    seconds = float((report.load / case.gbs).max())
    mean = report.load[links].sum() / (case.gbs[links].sum() * seconds)
    return (report.load[links] / case.gbs[links]).max() / seconds, mean


@pytest.mark.parametrize("item", [Item("link", 300), Item("node", 5), Item("group", 0)], ids=lambda item: item.kind)
def test_a_pinned_item_has_a_row_with_its_utilisation_in_each_step(view, item):
    session, case = view.session, view.state.evaluation.case
    before = rows(view)
    session.watcher.pin(item)
    session.watcher.pin(item)
    shown = bands(view)
    assert len(rows(view)) == len(before) + 1
    assert shown.items == (None,) * len(before) + (item,)
    assert shown.names[-1] == title(item, case)
    for step in (2, 12, 30):
        busiest, mean = busy_alone(case, step, links_of_item(item, case))
        assert shown.parts[0][step, -1] == pytest.approx(busiest)
        assert shown.parts[1][step, -1] == pytest.approx(mean)
    assert f"{shown.names[-1]}: " in readout(shown, 12, len(before))[-1]
    session.watcher.unpin(item)
    assert len(rows(view)) == len(before)


def test_links_side_by_side_have_rows_of_their_own(session_of, shown):
    view = shown(TimelineView(session_of(replace(ONE, network=Torus((8, 2))))))
    network = view.state.evaluation.case.network
    twins = network.links_between(0, 1).tolist()
    assert len(twins) == 2
    for link in twins:
        view.session.watcher.pin(Item("link", link))
    names = tuple(title(Item("link", link), view.state.evaluation.case) for link in twins)
    assert bands(view).names[-2:] == names
    assert len(set(names)) == 2


def test_a_row_is_selected_by_its_name_and_removed_by_its_menu(view, qtbot):
    session, item = view.session, Item("node", 5)
    session.watcher.pin(Item("link", 300))
    session.watcher.pin(item)
    view.plot.resize(view.plot.width(), view.plot.minimumHeight() + 40)
    row = rows(view)[-1]
    QTest.mouseClick(port(view), LEFT, pos=QPoint(20, int(row.center().y())))
    assert session.state.selection == item
    assert view.plot.chart.item_at(row.center()) == item
    menu = view.menu_for(item)
    menu.actions()[0].trigger()
    assert session.state.time.pinned_items == (Item("link", 300),)
    menu.actions()[-1].trigger()
    assert session.state.time.pinned_items == ()
    menu.deleteLater()


def test_pinned_rows_follow_edits_and_go_with_their_network(view, qtbot):
    session, item = view.session, Item("node", 5)
    session.watcher.pin(item)
    case = session.state.evaluation.case
    slots, held = case.mapping.slots, occupants(case.mapping, case.network.slots)
    session.editing.apply(swapped(case.mapping, slots[[5]], slots[[21]], held), "Swap")
    case = session.state.evaluation.case
    qtbot.waitUntil(lambda: view._watched(view.timeline).evaluation.case is case)
    assert bands(view).parts[0][12, -1] == pytest.approx(busy_alone(case, 12, links_of_item(item, case))[0])
    session.choose("network", Percs(supernodes=1, slots_per_node=2))
    assert session.state.time.pinned_items == ()


def test_no_more_rows_than_fit_are_pinned(view):
    for node in range(MAX_PINNED + 3):
        view.session.watcher.pin(Item("node", node))
    assert [item.index for item in view.state.time.pinned_items] == list(range(3, MAX_PINNED + 3))
    # Each has the room that its name needs; what does not fit is scrolled.
    shown = rows(view)
    assert min(row.height() for row in shown) >= 8
    assert view.plot.minimumHeight() > view.height() - view.player.height()
    assert shown[-1].bottom() < view.plot.minimumHeight()


def test_two_states_stand_above_each_other_on_one_axis(view, qtbot):
    session = view.session
    session.set_reference(session.state.evaluation)
    session.choose("job", replace_field(NODES.job, algorithm="node-by-node", per_node=1))
    qtbot.waitUntil(lambda: len(view.timelines) == 2)
    (above, below), content = view.plot.chart.strips, view.plot.chart.content
    assert content.bands[0].timeline.case is session.state.comparison.reference.case
    assert content.bands[1].timeline.case is session.state.evaluation.case
    upper, lower = above.lanes, below.lanes
    assert upper.area.bottom() < lower.head.top() < lower.head.bottom() <= lower.blocks.top()
    assert (upper.blocks.left(), upper.blocks.width()) == (lower.blocks.left(), lower.blocks.width())
    longest = max(timed.seconds for timed in view.timelines)
    for strip, timed in zip((above, below), view.timelines, strict=True):
        end = strip.steps.columns.edges[-1, 1] / strip.steps.columns.width
        assert end == pytest.approx(timed.seconds / longest, abs=1 / 100)
    assert content.headings[0].startswith("A pairwise · 31 steps")
    assert content.headings[1].startswith("B node-by-node · ")
    # Each strip reads out its own timeline.
    for chart, lanes in enumerate((upper, lower)):
        mark = view.plot.chart.mark_at(QPointF(lanes.blocks.left(), lanes.blocks.center().y()))
        assert (mark.step, mark.chart) == (0, chart)
    session.compare(ComparisonMode.OFF)
    assert view.timelines == (view.timeline,)
    assert session.state.time.reference_timeline is None


def test_while_a_search_shows_the_whole_job_there_is_no_cursor(view):
    session, animate = view.session, next(action for action in ACTIONS if action.id == "film.timeline")
    session.timekeeper.go_to(4)
    assert view.under_cursor == 4
    assert animate.enabled(session.state)
    session.show(with_fields(session.state, phase=SearchPhase.RUNNING, gesture="Optimise"))
    assert view.under_cursor is None
    assert not view.player.play.isEnabled()
    assert view.player.text.text() == "single steps cannot be shown during a search"
    assert not animate.enabled(session.state)
    session.show(with_fields(session.state, phase=SearchPhase.NONE, gesture=""))
    assert view.under_cursor == 4
    assert view.player.play.isEnabled()


FAIR = replace(
    MANY,
    job=Allreduce(tasks=64, algorithm="recursive-doubling", message_bytes=1e6),
    mapping=Random(3),
    timing=FairShare(),
)


def test_each_rank_has_a_row_that_shows_which_rank_it_waits_for(session_of, shown):
    session = session_of(FAIR)
    view = shown(TimelineView(session), 620, 260)
    height = view.plot.minimumHeight()
    session.watcher.show_ranks(True)
    assert view.plot.minimumHeight() > height + 64 * 4
    chart = view.plot.chart
    drawn, ranks, area = chart.ranks, chart.content.ranks, chart.ranks.area.frame
    times, phases = view.timeline.rank_times, view.timeline.case.job.phases
    waits, colour = 0, colours(view.plot)
    for step, rank in itertools.product((0, 2, 5), range(0, 64, 9)):
        (partner,) = phases[step].out_flows(np.array([rank], np.int32)).dst
        assert ranks.begun[step, rank] == max(times[step, rank], times[step, partner])
        time = (times[step, rank] + times[step + 1, rank]) / 2
        left = area.left() + time / view.timeline.seconds * area.width()
        where = QPointF(left, area.top() + (rank + 0.5) * drawn.each)
        assert drawn.at(where - area.topLeft()) == (rank, step)
        mark = chart.mark_at(where)
        assert (mark.step, mark.rank) == (step, rank)
        lines = ranks.readout(rank, step)
        if times[step, partner] > times[step, rank]:
            waits += 1
            assert lines[-1].endswith(f"for rank {partner}")
            middle = (times[step, rank] + times[step, partner]) / 2 / view.timeline.seconds * area.width()
            seen = colour((int(area.left() + middle), int(where.y() - 1)))
            assert where.y() > view.plot.visibleRegion().boundingRect().bottom() - 4 or seen == waiting(DARK).name()
        else:
            assert lines[-1] == "does not wait"
    assert waits
    session.watcher.show_ranks(False)
    assert chart.content.ranks is None
    assert not chart.ranks.area.isVisible()
    assert session.state.time.begun is None


def test_a_press_on_a_waiting_rank_selects_the_flow_that_it_waits_for(session_of, shown):
    session = session_of(FAIR)
    view = shown(TimelineView(session), 620, 600)
    session.watcher.show_ranks(True)
    chart, times = view.plot.chart, view.timeline.rank_times
    area, each = chart.ranks.area.frame, chart.ranks.each
    for rank, step in itertools.product(range(8), range(1, 6)):
        (partner,) = view.timeline.case.job.phases[step].out_flows(np.array([rank], np.int32)).dst
        if times[step, partner] > times[step, rank]:
            break
    left = area.left() + (times[step, rank] + times[step + 1, rank]) / 2 / view.timeline.seconds * area.width()
    QTest.mouseClick(port(view), LEFT, pos=QPoint(round(left), round(area.top() + (rank + 0.5) * each)))
    assert session.state.moment.step == step
    assert session.state.selection == flow_item(int(partner), rank)
    assert session.state.paths_of(session.state.selection).volume > 0


def test_a_flow_can_be_a_row_of_the_timeline(session_of, shown):
    session = session_of(FAIR)
    view = shown(TimelineView(session), 620, 260)
    session.watcher.pin(flow_item(0, 1))
    (watched,) = session.state.time.watched
    assert watched.items == (flow_item(0, 1),)
    assert watched.rows.busy.any()
    assert view.plot.chart is not None


def test_a_barrier_has_no_rows_of_ranks(view):
    view.session.watcher.show_ranks(True)
    assert view.plot.chart.content.ranks is None


def test_the_steps_have_commands_with_keys(formless, window, qtbot):
    window.session.open(NODES, None)
    view, state = window.views["timeline"], lambda: window.session.state
    qtbot.waitUntil(lambda: window.commands["time.play"].isEnabled())
    for name, step in (("on", 0), ("on", 1), ("last", 30), ("back", 29), ("first", 0)):
        window.commands[f"time.{name}"].trigger()
        assert state().time.step == step
        assert window.commands[f"time.{name}"].shortcut().toString().startswith("Ctrl+")
    assert view.isVisible()
    item = Item("node", 2)
    window.session.select(item)
    window.commands["time.pin"].trigger()
    assert state().time.pinned_items == (item,)
    assert window.commands["time.pin"].text().startswith("Remove")
    window.commands["time.pin"].trigger()
    assert state().time.pinned_items == ()
    window.commands["time.play"].trigger()
    assert view.player.playing
    # It continues behind another tab, until the job changes.
    window.show_page("distribution")
    view.player._on_frame_due()
    assert view.player.playing
    window.session.choose("job", AllToAll(tasks=8))
    view.player._on_frame_due()
    assert not view.player.playing
    window.commands["time.all"].trigger()
    assert state().time.step is None


def test_the_throughput_of_a_step_counts_its_own_volume(session_of):
    session = session_of(Scenario(Torus((4, 4)), TransposePhases(2, 8), Sequential(), DimensionOrder()))
    case, sent = session.state.evaluation.case, 0.0
    for step in range(len(case.job.phases)):
        session.timekeeper.go_to(step)
        report = session.state.report
        sent += report.throughput_gbs * report.time if report.time else 0.0
    # All steps together send each task's unit once.
    assert len(case.job.phases) == 4
    assert sent == pytest.approx(1.0)


def test_message_counts_have_no_seconds(session_of, shown):
    traced = Flows(tasks=16, src=(0, 1), dst=(5, 9), volume=(30.0, 20.0), unit="messages")
    for timing in (None, FairShare()):
        pictures = []
        for unit in ("messages", "MB"):
            job = Sequence(parts=(replace_field(traced, unit=unit),), repeat=2)
            view = shown(TimelineView(session_of(replace(ONE, job=job, timing=timing))), 620, 220)
            lines = [view.subtitle(), *readout(bands(view), 1)]
            assert any(" s" in f"{line} " and ("takes" in line or "·" in line) for line in lines) == (unit == "MB"), (
                lines
            )
            pictures.append(view.plot.grab().toImage())
        assert view.subtitle().startswith("2 steps")
        assert pictures[0] != pictures[1]
