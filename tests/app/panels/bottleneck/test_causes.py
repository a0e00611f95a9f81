"""The causes of a link's load: parts sum to the load, and rows select items while the link stays."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.changes import ChangeSet
from app.model.flow_text import path_line
from app.model.load_parts import group_parts, task_parts
from app.model.pointing import Item, flow_item
from app.panels.bottleneck.causes import HINT, IDLE, IDLE_OWN, WORKING, Causes
from app.session.session import Session
from app.storage.presets import preset
from app.wording.numbers import significant
from core.job import AllToAll, Halo, Transpose
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import FatTree, Mesh, Torus
from core.routing import DimensionOrder, Minimal
from tests import pointer
from tests.patience import wait

RING = Scenario(Torus((12,)), Halo(3, 4), Sequential(), DimensionOrder())


@pytest.fixture
def causes(session, show):
    widget = Causes(session)
    session.changed.connect(lambda changes: widget.show_state(session.state))
    widget.show_state(session.state)
    return show(widget, 300, 500)


def hottest(session):
    return int(session.state.report.hottest(1)[0])


def test_parts_of_the_job_are_listed_if_it_has_any(show):
    session = Session.of(preset("nccl-32-gpus"), sync=True)
    widget = show(Causes(session), 300, 500)
    session.changed.connect(lambda changes: widget.show_state(session.state))
    link = hottest(session)
    session.select(Item("link", link))
    assert widget.labelled.isVisible()
    assert sum(part.load for part in widget.labelled.parts) == pytest.approx(1000 * session.state.report.load[link])
    session.choose("job", Halo(4, 8))
    assert not widget.labelled.isVisible()


def test_hint_is_shown_without_a_selection(causes):
    assert causes.note.text() == HINT
    assert not causes.roles.isVisible()
    assert not causes.title.isVisible()


@pytest.mark.parametrize("job", [Halo(64, 64), Transpose(64, 64)], ids=lambda job: job.tag())
def test_parts_shown_sum_to_the_load(causes, session, job):
    session.choose("job", job)
    session.choose("mapping", Sequential())
    link = hottest(session)
    session.select(Item("link", link))
    load = session.state.report.load[link]
    for parts in (causes.roles.parts, causes.groups.parts, causes.tasks.parts):
        assert sum(part.load for part in parts) == pytest.approx(load)
        assert sum(part.share for part in parts) == pytest.approx(1)
    assert causes.bar.parts == causes.roles.parts


def test_only_a_link_with_a_high_utilisation_is_called_hot(causes, session):
    link = hottest(session)
    session.select(Item("link", link))
    assert causes.title.text() == f"Why {session.state.report.case.network.link_name(link)} is hot"
    assert causes.figures.text() == "0.3125 units · 100 % of the bottleneck"
    report = session.state.report
    cool = int(np.flatnonzero((report.load > 0) & (report.utilisation < 0.5))[0])
    session.select(Item("link", cool))
    assert causes.title.text().startswith("What loads ")


def test_link_without_load_has_a_message(causes, session):
    idle = int(session.state.report.load.argmin())
    assert session.state.report.load[idle] == 0
    session.select(Item("link", idle))
    assert causes.note.text() == IDLE
    assert not causes.tasks.isVisible()


def row_place(parts, row):
    return parts.row_rect(row).center()


def test_rows_select_bundle_group_and_task_while_the_link_stays(causes, session, log_of):
    link = hottest(session)
    session.select(Item("link", link))
    title, items = causes.title.text(), [part.item for part in causes.groups.parts]
    log = log_of(session)
    assert {item.kind for item in items} == {"bundle", "group"}
    for row, item in enumerate(items):
        QTest.mouseClick(causes.groups, Qt.MouseButton.LeftButton, pos=row_place(causes.groups, row))
        assert session.state.selection == item
        assert causes.title.text() == title
        assert causes.tasks.isVisible()
    QTest.mouseClick(causes.tasks, Qt.MouseButton.LeftButton, pos=row_place(causes.tasks, 0))
    assert session.state.selection == causes.tasks.parts[0].item
    assert session.state.selection.kind == "flow"
    assert len(log.of(ChangeSet.SELECTION)) == len(items) + 1


def test_arrow_keys_select_rows(causes, session):
    session.select(Item("link", hottest(session)))
    causes.tasks.setFocus()
    for row in (0, 1, 2):
        QTest.keyClick(causes.tasks, Qt.Key.Key_Down)
        assert session.state.selection == causes.tasks.parts[row].item
    QTest.keyClick(causes.tasks, Qt.Key.Key_Up)
    assert session.state.selection == causes.tasks.parts[1].item


def test_selected_row_is_painted_as_selected(causes, session):
    session.select(Item("link", hottest(session)))
    QTest.mouseClick(causes.tasks, Qt.MouseButton.LeftButton, pos=row_place(causes.tasks, 1))
    wait(20)
    image = causes.tasks.grab().toImage()
    colours = [image.pixelColor(1, row_place(causes.tasks, row).y()).name() for row in (1, 3)]
    assert colours[0] == session.state.style.theme.selected
    assert colours[1] != session.state.style.theme.selected


def test_pointer_over_a_row_hovers_its_item(causes, session):
    session.select(Item("link", hottest(session)))
    start, end = row_place(causes.groups, 0), row_place(causes.groups, 1)
    pointer.move(causes.groups, start, end, steps=4, button=Qt.MouseButton.NoButton)
    assert session.state.hover == causes.groups.parts[1].item
    QApplication.sendEvent(causes.groups, QEvent(QEvent.Type.Leave))
    assert session.state.hover is None


@pytest.mark.parametrize("same", [True, False])
def test_replaced_rows_end_the_hover(causes, session, same):
    session.select(Item("link", hottest(session)))
    before = causes.groups.parts
    pointer.move(
        causes.groups, row_place(causes.groups, 0), row_place(causes.groups, 1), steps=2, button=Qt.MouseButton.NoButton
    )
    causes.groups.set_parts(before if same else before[:1], session.state.style.theme)
    assert session.state.hover == (before[1].item if same else None)
    QApplication.sendEvent(causes.groups, QEvent(QEvent.Type.Leave))
    assert session.state.hover is None


def test_other_loads_drop_the_link_unless_it_is_still_selected(causes, session):
    session.select(Item("link", hottest(session)))
    session.choose("job", Halo(64, 64, periodic=False))
    assert causes.tasks.isVisible()
    assert sum(part.load for part in causes.roles.parts) == pytest.approx(
        session.state.report.load[session.state.selection.index]
    )
    session.select(None)
    session.choose("job", Halo(64, 64))
    assert causes.note.text() == HINT
    assert not causes.tasks.isVisible()


@cache
def links_by_name(network):
    return {network.link_name(link): link for link in range(network.links)}


def explained_link(causes):
    """The link whose causes are shown, by the text of the panel."""
    name = causes.title.text().removeprefix("Why ").removeprefix("What loads ").removesuffix(" is hot")
    return links_by_name(causes.session.state.report.case.network)[name]


def figures(causes):
    return causes.head.figures.text().replace("\N{NO-BREAK SPACE}", " ")


def assert_explains(causes, link):
    report = causes.session.state.report
    assert explained_link(causes) == link
    assert causes.session.state.explanation.link == link
    for parts in (causes.roles.parts, causes.groups.parts, causes.tasks.parts):
        assert sum(part.load for part in parts) == pytest.approx(report.load[link])
    assert causes.tasks.isVisible()


def test_a_bundle_after_a_link_shows_its_own_links(causes, session):
    report = session.state.report
    session.select(Item("link", hottest(session)))
    groups = report.case.network.groups
    session.select(Item("bundle", 3 * groups + 4))
    ends = np.stack([report.case.network.group_of[end] for end in (report.case.network.src, report.case.network.dst)])
    links = np.flatnonzero((np.sort(ends, axis=0) == [[3], [4]]).all(0))
    load = report.load[links]
    assert causes.head.title.text() == "Links between supernode 3 and 4"
    assert figures(causes).startswith(
        f"8 links · max. load {significant(load.max())}, mean {significant(load.mean())} units"
    )
    listed = [part.item.index for part in causes.head.links.parts]
    assert listed[0] == links[load.argmax()]
    assert set(listed) <= set(links.tolist())
    assert_explains(causes, listed[0])


@pytest.mark.parametrize("kind", ["node", "task", "group"])
def test_item_with_many_links_lists_its_hottest_links(causes, session, kind):
    report = session.state.report
    session.select(Item("link", hottest(session)))
    session.select(Item(kind, 7))
    network = report.case.network
    of = network.group_of if kind == "group" else np.arange(network.vertices)
    at = int(report.case.mapping.nodes[7]) if kind == "task" else 7
    links = np.flatnonzero((of[network.src] == at) | (of[network.dst] == at))
    assert figures(causes).startswith(f"{links.size:,} links · max. load ")
    assert [part.share for part in causes.head.links.parts] == sorted(report.utilisation[links].tolist())[:-6:-1]
    assert_explains(causes, causes.head.links.parts[0].item.index)


def test_rows_of_links_are_explained_one_by_one(causes, session):
    session.select(Item("node", 7))
    title, parts = causes.head.title.text(), causes.head.links.parts
    for row in (2, 1):
        QTest.mouseClick(causes.head.links, Qt.MouseButton.LeftButton, pos=row_place(causes.head.links, row))
        assert session.state.selection == parts[row].item
        assert (causes.head.title.text(), causes.head.links.parts) == (title, parts)
        assert_explains(causes, parts[row].item.index)
    # The same link chosen elsewhere is explained.
    session.select(parts[0].item)
    assert not causes.head.isVisible()
    assert_explains(causes, parts[0].item.index)


def test_item_selected_elsewhere_is_not_a_cause(causes, session):
    session.select(Item("link", hottest(session)))
    QTest.mouseClick(causes.tasks, Qt.MouseButton.LeftButton, pos=row_place(causes.tasks, 0))
    flow = session.state.selection
    assert not causes.head.isVisible()
    session.select(Item("node", 90))
    assert causes.head.title.text().startswith("Links at node ")
    session.select(flow)
    assert not causes.head.isVisible()
    assert not causes.title.isVisible()
    assert causes.path.isVisible()


def test_headings_name_switches_and_single_links(session_of, show):
    session = session_of(Scenario(FatTree(4, 3), AllToAll(tasks=16), Sequential(), Minimal()))
    widget = Causes(session)
    session.changed.connect(lambda changes: widget.show_state(session.state))
    show(widget, 300, 500)
    network = session.state.report.case.network
    session.select(Item("switch", network.nodes))
    assert network.label(network.nodes) in widget.head.title.text()
    assert_explains(widget, widget.head.links.parts[0].item.index)
    session.select(Item("link", 0))
    assert not widget.head.isVisible()


def test_item_without_load_has_a_message(causes, session):
    network, report = session.state.report.case.network, session.state.report
    pairs = network.group_of[network.src].astype(int) * network.groups + network.group_of[network.dst]
    used = np.bincount(pairs, weights=report.load, minlength=network.groups**2).reshape(2 * [network.groups])
    a, b = np.argwhere(np.triu(used + used.T == 0, 1))[0].tolist()
    session.select(Item("link", hottest(session)))
    session.select(Item("bundle", a * network.groups + b))
    assert "no load" in causes.head.figures.text()
    assert not causes.title.isVisible()
    assert not causes.tasks.isVisible()


def test_remaining_parts_are_summed_in_one_line(causes, session):
    session.choose("job", Transpose(64, 64))
    session.choose("mapping", Sequential())
    session.select(Item("link", hottest(session)))
    explanation = session.state.explanation
    rest = causes.tasks.parts[-1]
    assert rest.item is None
    assert rest.text == f"and {explanation.tasks.src.size - 8:,} more"
    assert rest.load == pytest.approx(explanation.tasks.load[8:].sum())
    QTest.mouseClick(causes.tasks, Qt.MouseButton.LeftButton, pos=row_place(causes.tasks, 8))
    assert session.state.selection.kind == "link"


def test_parts_too_small_to_list_count_as_remaining(causes, session):
    session.select(Item("link", hottest(session)))
    explanation = session.state.explanation
    more = replace(explanation, load=explanation.load + 1, tasks=replace(explanation.tasks, others=1.0))
    parts = task_parts(more)
    assert sum(part.load for part in parts) == pytest.approx(more.load)


def test_network_without_levels_lists_nodes(session_of):
    session = session_of(RING)
    session.select(Item("link", hottest(session)))
    parts = group_parts(session.state.report.case.network, session.state.explanation)
    assert parts[0].text.startswith("node (")
    assert parts[0].item.kind == "node"


def test_message_is_shown_while_causes_are_computed(show, qtbot):
    session = Session.of(RING)
    widget = Causes(session)
    session.changed.connect(lambda changes: widget.show_state(session.state))
    show(widget, 300, 400)
    session.select(Item("link", hottest(session)))
    assert widget.note.text() == WORKING
    assert not widget.roles.isVisible()
    qtbot.waitUntil(lambda: session.state.explanation is not None)
    assert not widget.note.isVisible()
    assert widget.roles.isVisible()
    session.close()


def test_selection_is_pinned_to_the_timeline_of_a_job_with_steps(causes, session):
    item = Item("node", 3)
    session.select(item)
    assert not causes.pin.isVisible()
    session.fit(session.state.wanted.with_choice("job", AllToAll(tasks=64, algorithm="bruck")))
    session.select(item)
    assert causes.pin.isVisible()
    assert causes.pin.text() == "Add to the timeline"
    causes.pin.click()
    assert session.state.time.pinned_items == (item,)
    assert causes.pin.text() == "Remove from the timeline"
    session.timekeeper.go_to(1)
    assert causes.figures.text().startswith("in step 2: ")
    causes.pin.click()
    assert session.state.time.pinned_items == ()


def test_jobs_on_a_link_are_listed_with_their_loads(causes, session):
    even, odd = (",".join(map(str, range(first, first + 24, 2))) for first in (0, 7))
    beside = Neighbour(name="B", job=Halo(3, 4), mapping=Sequential(), allocation=odd)
    session.open(replace(RING, network=Mesh((31,)), allocation=even, neighbours=(beside,)), None)
    report = session.state.report
    link = int(np.argmax(np.minimum(report.load, report.others)))
    session.select(Item("link", link))
    assert [part.text for part in causes.jobs.parts] == ["Halo, 5-point", "B"]
    assert sum(part.load for part in causes.jobs.parts) == pytest.approx(report.total_load[link])
    assert " of this job · " in causes.figures.text()
    neighbours_link = int(np.flatnonzero((report.load == 0) & (report.others > 0))[0])
    session.select(Item("link", neighbours_link))
    assert causes.note.text() == IDLE_OWN
    session.open(RING, None)
    assert not causes.jobs.isVisible()


def test_path_of_the_selected_pair_is_listed_hop_by_hop(causes, session):
    link = hottest(session)
    session.select(Item("link", link))
    assert not causes.path.isVisible()
    QTest.mouseClick(causes.tasks, Qt.MouseButton.LeftButton, pos=row_place(causes.tasks, 0))
    paths = session.state.paths_of(session.state.selection)
    assert link in paths.best
    assert [part.item for part in causes.path.hops.parts] == [Item("link", hop) for hop in paths.best.tolist()]
    assert causes.path.summary.text().startswith(f"{paths.count} paths, {paths.hops:g} hops, largest share ")
    assert causes.title.text().endswith(session.state.report.case.network.link_name(link) + " is hot")
    QTest.mouseClick(causes.path.hops, Qt.MouseButton.LeftButton, pos=row_place(causes.path.hops, 1))
    assert session.state.selection == Item("link", int(paths.best[1]))
    session.select(None)
    assert not causes.path.isVisible()
    assert session.state.flow_paths == ()


def test_tool_tip_of_a_pair_shows_its_path(causes, session):
    session.select(Item("link", hottest(session)))
    start, end = row_place(causes.tasks, 1), row_place(causes.tasks, 0)
    pointer.move(causes.tasks, start, end, steps=4, button=Qt.MouseButton.NoButton)
    hovered = session.state.hover
    assert hovered == causes.tasks.parts[0].item
    assert path_line(session.state.paths_of(hovered)) in causes.tasks.toolTip()
    assert not causes.path.isVisible()


def test_pair_on_a_single_node_has_no_path(causes, session):
    session.choose("mapping", Sequential())
    session.select(flow_item(0, 1))
    assert causes.path.summary.text() == "Both tasks are on node 0 · d0 · 0, so no link is crossed · 0.25 units"
    assert not causes.path.hops.parts
