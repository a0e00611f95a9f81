"""Frames around views: tabs show one view at a time, and only that view works."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.widgets.card import Card, TabCard
from app.widgets.labels import MIN_TEXT_PX, ElidedLabel, PartsLabel
from app.widgets.layouts import column
from app.wording.numbers import gbs
from core.mapping.edit import occupants, swapped


@pytest.fixture
def card(qtbot):
    card = TabCard("Pages")
    for name in ("First", "Second"):
        card.add(name, QLabel(name))
    qtbot.addWidget(card)
    card.resize(400, 200)
    card.show()
    return card


def test_text_is_shortened_until_it_would_be_unreadable(qtbot):
    label = ElidedLabel("128 of 496 bundles in use")
    qtbot.addWidget(label)
    for width, shown in ((400, label.text()), (MIN_TEXT_PX - 1, "")):
        label.resize(width, 20)
        assert label.shown == shown
    label.resize(90, 20)
    assert label.shown.startswith("128")
    assert label.shown.endswith("…")
    label.setText("all")
    label.resize(MIN_TEXT_PX - 1, 20)
    assert label.shown == "all"


def test_subtitle_omits_its_last_parts_before_it_elides(qtbot):
    label = PartsLabel("run 3: 64.0 → 91.4 GB/s, +42.8 % · 12 s of 60 s · 1.2M mappings")
    qtbot.addWidget(label)
    label.ensurePolished()
    shown = []
    for width in range(900, MIN_TEXT_PX, -5):
        label.resize(width, 20)
        assert label.fontMetrics().horizontalAdvance(label.shown) <= width
        if label.shown not in shown:
            shown.append(label.shown)
    assert shown == [
        label.text(),
        "run 3: 64.0 → 91.4 GB/s, +42.8 % · 12 s of 60 s",
        "run 3: 64.0 → 91.4 GB/s, +42.8 %",
        "run 3: 64.0 → 91.4 GB/s",
        "run 3",
    ]


def pages(card):
    return [card.pages.widget(index) for index in range(card.pages.count())]


def click_tab(card, index):
    QTest.mouseClick(card.tabs, Qt.MouseButton.LeftButton, pos=card.tabs.tabRect(index).center())


def test_a_click_on_a_tab_shows_its_page_alone(card):
    assert [page.isVisible() for page in pages(card)] == [True, False]
    click_tab(card, 1)
    assert [page.isVisible() for page in pages(card)] == [False, True]
    card.show_page(pages(card)[0])
    assert card.tabs.currentIndex() == 0
    assert [page.isVisible() for page in pages(card)] == [True, False]


def test_each_page_has_its_own_subtitle(card):
    first, second = pages(card)
    card.set_page_subtitle(first, "one")
    card.set_page_subtitle(second, "two")
    seen = card.findChildren(QLabel)
    assert "one" in [label.text() for label in seen]
    assert "two" not in [label.text() for label in seen]
    click_tab(card, 1)
    assert "two" in [label.text() for label in card.findChildren(QLabel)]


def test_hidden_page_uncovers_the_previous_page(card, qtbot):
    third = QLabel("Third")
    card.add("Third", third)
    for front in (1, 0):
        click_tab(card, front)
        card.set_page_available(third, True)
        assert card.tabs.currentIndex() == front
        click_tab(card, 2)
        card.set_page_available(third, False)
        assert card.tabs.currentIndex() == front
    card.set_page_available(third, True)
    click_tab(card, 0)
    card.set_page_available(third, False)
    assert card.tabs.currentIndex() == 0


def test_the_window_has_the_history_behind_a_tab_and_its_command(formless, window):
    session, history = window.session, window.views["history"]
    case = session.state.evaluation.case
    assert window.views["distribution"].isVisible()
    assert not history.isVisible()
    edit = swapped(case.mapping, case.mapping.slots[[5]], [3000], occupants(case.mapping, case.network.slots))
    session.editing.apply(edit, "Swap two")
    assert history.course.steps == 0  # it rests while it is not seen
    click_tab(window.centre.charts, 1)
    assert history.course.steps == 1
    assert not window.views["distribution"].isVisible()
    history.plot.build()
    beginning = history.plot.chart.place_of(0).toPoint()
    QTest.mouseClick(history.plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=beginning)
    assert session.state.history.done == 0
    assert window.bottleneck.headline.number.text() == gbs(session.state.report.throughput_gbs) == "64.0"
    click_tab(window.centre.charts, 0)
    window.commands["view.history"].trigger()
    assert history.isVisible()


def test_press_on_a_widget_without_keys_ends_typing(qtbot):
    window, text = QWidget(), QLabel("128 links")
    field = QLineEdit()
    frame = Card("Machine", text)
    column(field, frame, of=window)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    for pressed in (frame.title, text):
        QTest.mouseClick(pressed, Qt.MouseButton.LeftButton)
        assert not field.hasFocus()
        field.setFocus()
