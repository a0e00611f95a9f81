"""The bar lists the changes made to fit another network."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from app.panels.build.fit_bar import FitBar
from app.style.theme import DARK, LIGHT
from core.job import Halo
from core.mapping import Random
from core.network import Torus

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bar(lent):
    return lent.findChild(FitBar)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_bar_is_shown_until_undo(lent, bar, theme):
    lent.session.set_theme(theme)
    before, views = lent.session.state.wanted, lent.centre.cards["machine"]
    assert bar.isHidden()
    lent.session.choose_network(Torus((32, 32)))
    QTest.qWait(1)
    assert bar.isVisible()
    assert bar.geometry().bottom() < views.mapTo(lent.centre, views.rect().topLeft()).y()
    assert bar.text.text().startswith("Job reduced to 32 × 32 tasks to fit 1,024 nodes; ")
    picture = bar.grab().toImage()
    assert picture.pixelColor(bar.width() // 2, 3) == QColor(theme.selected)
    assert picture.pixelColor(bar.width() // 2, 0) == QColor(theme.accent)
    QTest.mouseClick(bar.undo, LEFT)
    assert lent.session.state.wanted == before
    assert bar.isHidden()


def test_a_remedy_keeps_the_entire_job(lent, bar):
    lent.session.choose_network(Torus((32, 32)))
    assert [link.text() for link in bar.links.links] == ["Use 4 tasks per node", "Grow to 64 × 64 nodes"]
    QTest.mouseClick(bar.links.links[1], LEFT)
    assert lent.session.state.wanted.network == Torus((64, 64))
    assert lent.session.state.wanted.job == Halo(64, 64)


def test_closing_accepts_the_changes(lent, bar):
    lent.session.choose_network(Torus((32, 32)))
    QTest.mouseClick(bar.done, LEFT)
    assert bar.isHidden()
    assert lent.session.state.wanted.job == Halo(32, 32)


def test_next_edit_closes_the_bar(lent, bar):
    lent.session.choose_network(Torus((32, 32)))
    lent.session.choose("mapping", Random(seed=1))
    assert bar.isHidden()


@pytest.mark.parametrize("width", [300, 900])
def test_links_continue_on_further_lines(session, show, width):
    session.choose_network(Torus((32, 32)))
    bar = show(FitBar(session), width, 200)
    bar.resize(width, bar.heightForWidth(width))
    QTest.qWait(1)
    shown = [bar.undo, *bar.links.links]
    assert all(bar.links.rect().contains(link.geometry()) for link in shown)
    assert len({link.y() for link in shown}) == (1 if width == 900 else 2)
