"""The Channels panel, used by pointer: a channel chosen, its repeated links, and the textbook algorithm."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.channels_shown import chosen_channel, crossed_links
from app.model.state_groups import ComparisonMode
from app.panels.channels.panel import ChannelsPanel
from app.storage.presets import preset
from core.job import Halo
from tests.app.channelled import RINGS, TREES

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session_of, show):
    return show(ChannelsPanel(session_of(RINGS)), 700, 260)


def click(widget, at=None):
    QTest.mouseClick(widget, LEFT, pos=at if at is not None else widget.rect().center())


def click_row(table, row):
    click(table.viewport(), table.visualRect(table.view_index(row)).center())


def rows(table):
    return [table.model().index(row, column).data() for row in range(table.model().rowCount()) for column in range(3)]


def test_channels_are_listed_with_their_repeated_links(panel):
    assert rows(panel.table) == ["0", "…", "…", "1", "…", "…"]
    panel.session.channels.draw(True)
    panel.catch_up()
    links, times = crossed_links(panel.state, 1)
    assert rows(panel.table) == ["0", "0", "–", "1", str(links.size), f"{times.max():.3g} ×"]


def test_a_click_draws_one_channel_and_lists_its_links(panel):
    click_row(panel.table, 1)
    assert panel.state.channels.on_machine
    assert chosen_channel(panel.state) == 1
    links, _ = crossed_links(panel.state, 1)
    assert panel.links.links.tolist() == links.tolist()
    assert f"Channel 1 crosses {links.size} links between switches more than once" in panel.message.text()
    click_row(panel.links, 0)
    assert panel.state.selection.index == links[0]
    click(panel.all)
    assert chosen_channel(panel.state) is None
    assert not panel.links.links.size
    assert not panel.table.selectionModel().hasSelection()


def test_a_channel_without_repeated_links_says_so(panel):
    click_row(panel.table, 0)
    assert panel.message.text() == "Channel 0 crosses no link between switches more than once in a step."
    assert not panel.links.isVisible()


def test_the_channels_are_shown_and_hidden(panel):
    assert panel.draw.text() == "Show on the machine"
    click(panel.draw)
    assert (panel.state.channels.on_machine, panel.draw.text()) == (True, "Hide on the machine")
    click(panel.draw)
    assert not panel.state.channels.on_machine


def test_the_headline_counts_rings_and_trees(session_of, show):
    received = []
    for scenario in (RINGS, TREES):
        panel = ChannelsPanel(session_of(scenario))
        panel.subtitle_changed.connect(received.append)
        show(panel, 700, 260)
    assert received[0] == "2 rings of 12 ranks"
    assert received[-1] == "1 tree of 12 ranks"


def test_a_job_without_channels_leaves_the_panel_as_it_is(panel):
    click_row(panel.table, 1)
    panel.session.choose("job", Halo(3, 4))
    assert panel.table.model().rowCount() == 2


def test_the_textbook_algorithm_is_one_click_away(session_of, show):
    panel = show(ChannelsPanel(session_of(preset("nccl-32-gpus"))), 700, 260)
    click(panel.textbook)
    assert panel.state.comparison.mode is ComparisonMode.SIDE
