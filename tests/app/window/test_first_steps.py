"""The line of first steps: each step is pressed at its pixel, and the model and the settings are asserted."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.panels.networks.chooser import NetworkChooser
from app.storage.settings import Settings
from app.widgets.layouts import STRETCH, column
from app.window.first_steps import ALL, DONE, STEPS, FirstSteps
from core.job import AllToAll, Halo
from core.network import Torus
from core.optimise.request import SearchResult
from tests.pointer import press, release

TEXTS = [f"{number}  {step.text}" for number, step in enumerate(STEPS, start=1)]


def click(widget):
    press(widget, widget.rect().center())
    release(widget, widget.rect().center())


def texts_of(steps):
    return [button.text() for button in steps.buttons.values()]


@pytest.fixture
def steps(lent):
    lent.steps.begin_again()
    return lent.steps


def test_the_first_start_shows_three_steps_and_the_machine_has_the_focus(formless, window, qtbot):
    qtbot.waitUntil(window.machine.hasFocus)
    assert window.steps.isVisible()
    assert texts_of(window.steps) == TEXTS
    assert window.settings.steps_done == frozenset()


def test_the_first_step_opens_the_chooser_of_networks_and_is_ticked_once_one_is_chosen(lent, steps):
    click(steps.buttons["machine"])
    chooser = QApplication.activePopupWidget()
    assert isinstance(chooser, NetworkChooser)
    assert texts_of(steps) == TEXTS
    chooser.choose(Torus((8, 8, 4)))
    assert lent.session.state.wanted.network == Torus((8, 8, 4))
    assert texts_of(steps)[0].startswith(DONE)
    # The job was made to fit, not chosen.
    assert lent.settings.steps_done == {"machine"}


def test_the_second_step_lists_the_jobs_and_imports_traces(lent, steps, monkeypatch):
    asked = []
    monkeypatch.setattr(lent.files.exchange, "ask_import", lambda: asked.append(True))
    click(steps.buttons["job"])
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    job = next(action for action in menu.actions() if action.text() == AllToAll.title)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(job).center())
    assert isinstance(lent.session.state.wanted.job, AllToAll)
    assert lent.settings.steps_done == {"job"}
    click(steps.buttons["job"])
    menu = QApplication.activePopupWidget()
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(menu.actions()[-1]).center())
    assert asked == [True]


def test_choosing_the_job_on_screen_counts_as_a_choice(lent, steps):
    click(steps.buttons["job"])
    menu = QApplication.activePopupWidget()
    job = next(action for action in menu.actions() if action.text() == Halo.title)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(job).center())
    assert lent.settings.steps_done == {"job"}


def test_the_third_step_searches_and_the_line_goes_when_all_are_done(lent, steps):
    lent.settings.steps_done = frozenset({"machine", "job"})
    started = []

    def searched(report, *options):
        started.append(options)
        return SearchResult(report.case.mapping.slots, report.time, report.time, report.time, 0.0, 0, ended=True)

    lent.session.optimiser.search = searched
    click(steps.buttons["search"])
    assert len(lent.session.state.search.runs) == len(started) == 1
    assert lent.settings.steps_done == ALL
    assert not steps.isVisible()


def test_the_close_button_hides_it_permanently_and_the_help_menu_reopens_it(lent, steps, show):
    click(steps.close_button)
    assert not steps.isVisible()
    settings = Settings(lent.settings._store, lent.settings.autosaves)
    again = FirstSteps(lent.session, settings, lambda: lent.build.sections["job"], print)
    assert again.isHidden()
    again.deleteLater()
    lent.commands["help.steps"].trigger()
    assert steps.isVisible()
    assert texts_of(steps)[1].startswith("2  ")


def test_it_leads_to_the_tour_and_is_hidden_meanwhile(lent, steps):
    click(steps.tour)
    assert lent.session.state.tour.tour.title == "Start here"
    assert len(lent.session.state.tour.tour.scenes) == 6
    assert not steps.isVisible()
    lent.tours.step(1)
    lent.tours.close()
    assert steps.isVisible()
    assert lent.settings.steps_done == frozenset()  # a scene is not a choice of the user's


def test_it_is_hidden_on_the_stage(lent, steps):
    lent.session.presentation.begin(None)
    assert not steps.isVisible()
    lent.session.presentation.end()
    assert steps.isVisible()


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("width", [1280, 700, 480])
def test_it_is_one_line_that_shortens_its_texts_and_clips_none(lent, show, qtbot, scale, width):
    lent.set_font_scale(scale)
    steps = FirstSteps(lent.session, lent.settings, lambda: lent.build.sections["job"], print)
    host = QWidget(lent, Qt.WindowType.Window)
    column(steps, STRETCH, of=host)
    show(host, width, 80)
    shown = [*steps.buttons.values(), *(part for part in (steps.tour, steps.close_button) if part.isVisible())]
    assert steps.close_button.isVisible()
    qtbot.waitUntil(lambda: steps.close_button.geometry().right() < steps.width() <= width)
    assert all(part.width() >= part.sizeHint().width() for part in shown)
    assert len({part.y() + part.height() // 2 for part in shown}) <= 2
    lent.set_font_scale(1.0)


def test_the_help_and_tour_menus_begin_with_the_tour_of_the_window(shared):
    for title in ("&Help", "Tou&r"):
        (menu,) = (action.menu() for action in shared.menuBar().actions() if action.text() == title)
        assert menu.actions()[0].text() == "Start here"
