"""The command palette: it lists the entries that match typed words, and Enter runs one; tests check the model."""

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.storage.presets import preset_names
from app.storage.tours import tour_names
from app.window.palette import NOTHING_FOUND, Palette, search_of
from app.window.palette_entries import palette_entries
from core.job import HaloNd
from core.mapping import Sequential
from core.network import Torus
from core.routing import Minimal

FRAME_MS = 16
"""Time in which a keystroke must be answered, to be noticed by nobody."""


def entries_of(window):
    return palette_entries(window.commands, window.files, window.tours, window.build, window.views.values())


def ranked(window, text):
    entries = entries_of(window)
    return [entries[number] for number in search_of(entries).ranked(text)]


def first(window, text):
    best = ranked(window, text)[0]
    return best.text, best.kind


@pytest.fixture
def palette_of(qtbot):
    def open_palette(window):
        QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        palette = QApplication.activePopupWidget()
        assert isinstance(palette, Palette)
        return palette

    return open_palette


def run(palette, text):
    QTest.keyClicks(palette.field, text)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)


def test_the_palette_runs_the_typed_command(lent, palette_of):
    palette = palette_of(lent)
    QTest.keyClicks(palette.field, "logar")
    assert palette.list.item(0).text().startswith("Logarithmic colours")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert lent.session.state.style.scale.log


def test_it_opens_presets_and_moves_with_the_arrows(lent, palette_of):
    palette = palette_of(lent)
    QTest.keyClicks(palette.field, "preset torus")
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 1
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert lent.session.state.wanted.network.tag() == "torus"


def test_a_machine_becomes_the_network_with_the_other_choices_made_to_fit(lent, palette_of):
    run(palette_of(lent), "tofu 324")
    state = lent.session.state
    assert state.error is None
    assert isinstance(state.wanted.network, Torus)
    assert state.evaluation.case.network.real_nodes == 324
    assert state.wanted.job.tag() == "halo"


def test_a_job_a_mapping_and_a_routing_are_chosen_by_their_names(lent, palette_of):
    run(palette_of(lent), "halo any")
    assert isinstance(lent.session.state.wanted.job, HaloNd)
    run(palette_of(lent), "sequential")
    assert lent.session.state.wanted.mapping == Sequential()
    run(palette_of(lent), "minimal routing")
    assert isinstance(lent.session.state.wanted.routing, Minimal)


def test_a_setting_gets_the_focus_where_it_can_be_seen(lent, palette_of, qtbot):
    run(palette_of(lent), "unit message")
    box = lent.build.sections["job"].form.editors["message_bytes"].box
    qtbot.waitUntil(box.hasFocus)
    assert box.visibleRegion().boundingRect() == box.rect()
    QTest.keyClicks(box, "8000")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert lent.session.state.wanted.job.message_bytes == 8000


def test_a_setting_is_shown_although_another_panel_is_maximised(lent, palette_of, qtbot):
    lent.session.maximise("machine")
    assert not lent.build.isVisible()
    run(palette_of(lent), "rows setting")
    box = lent.build.sections["job"].form.editors["rows"].box
    qtbot.waitUntil(box.hasFocus)
    assert lent.build.isVisible()
    assert not lent.session.state.panels.maximised


def test_a_routing_that_does_not_fit_is_listed_with_the_reason_and_does_nothing(lent, palette_of):
    wanted, palette = lent.session.state.wanted, palette_of(lent)
    QTest.keyClicks(palette.field, "dimension order")
    assert "torus" in palette.list.item(0).text()
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close()
    assert lent.session.state.wanted == wanted


@pytest.mark.parametrize(
    ("typed", "text", "kind"),
    [
        ("fugaku", "Fugaku", "Machine"),
        ("halo", "Halo, 5-point", "Job"),
        ("mod", "Mod-colour", "Mapping"),
        ("valiant", "Valiant", "Routing"),
        ("start tour", "Start here", "Command"),
        ("layout map", "Map layout", "Command"),
        ("fit", "Fit machine to view", "Command"),
        ("message unit", "Message size", "Setting"),
        ("8x8x8 halo", "Torus 8 × 8 × 8 halo", "Preset"),
        ("clex round by", "CLEX round by round", "Tour"),
        ("picture timeline", "Export picture: Timeline", "Export"),
        ("ctrl shift n", "Compare networks", "Command"),
        ("fugkau", "Fugaku", "Machine"),
    ],
)
def test_each_kind_is_listed_first_by_its_words(shared, typed, text, kind):
    assert first(shared, typed) == (text, kind)


def test_all_declared_entries_are_listed(shared):
    entries = entries_of(shared)
    kinds = [entry.kind for entry in entries]
    assert kinds.count("Preset") == len(preset_names())
    assert kinds.count("Tour") == len(tour_names()) - 1  # the first is a command
    assert {entry.text for entry in ranked(shared, "theme") if entry.kind == "Command"} >= {"Dark", "Light"}
    assert {entry.text for entry in ranked(shared, "font size")} >= {"Increase text size", "Decrease text size"}
    presets = [entry.text for entry in ranked(shared, "percs transpose") if entry.kind == "Preset"]
    assert presets == ["Power 775 transpose"]


def test_no_match_is_one_line_and_the_palette_stays(shared):
    palette = Palette(entries_of(shared), shared.session.state.style.theme, shared)
    palette.popup()
    tall = palette.height()
    QTest.keyClicks(palette.field, "qqqq")
    assert [palette.list.item(k).text() for k in range(palette.list.count())] == [NOTHING_FOUND]
    assert palette.height() < tall
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close()


def test_a_keystroke_is_answered_within_a_frame(shared):
    palette = Palette(entries_of(shared), shared.session.state.style.theme, shared)
    palette.popup()
    fastest = []
    for text in ("", "e", "to", "fugkau"):
        times = []
        for _ in range(5):
            palette.field.setText("q")
            begin = time.perf_counter()
            palette.field.setText(text)
            times.append(1000 * (time.perf_counter() - begin))
        fastest.append(min(times))
    palette.close()
    assert max(fastest) < FRAME_MS
