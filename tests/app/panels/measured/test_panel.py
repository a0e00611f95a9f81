"""The Measured panel: figures of the core, links to click, and a slow link as a fault."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item
from app.panels.measured.panel import CLASSES, DISAGREE, MORE, NONE, SLOW, MeasuredPanel
from app.session.faults import measured_speed
from app.session.unknown_background import add_unknown_background
from app.style.theme import DARK
from app.wording.numbers import significant
from core.figures.measured import NO_WAITS, Counted, measured_figures
from core.figures.notes import notes_of
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.measured import compare_measured
from core.mapping import Explicit
from core.network.faults import LinkFault
from core.optimise.objective import Throughput
from core.optimise.request import Request
from core.optimise.run import optimise
from core.text import as_sentence
from tests.app.measured import TORUS, measured_scenario, planted, series_rates, series_scenario
from tests.app.sessions import session_on

SLOW_LINK, OTHER_LINK, MISSING = planted()


@pytest.fixture
def panel_of(tmp_path, qtbot):
    sessions = []

    def made(**options):
        session = session_on(measured_scenario(tmp_path, **options), theme=DARK, sync=True)
        sessions.append(session)
        panel = MeasuredPanel(session)
        qtbot.addWidget(panel)
        panel.resize(700, 300)
        panel.show()
        return panel

    yield made
    for session in sessions:
        session.close()


def press_page(panel, page):
    QTest.mouseClick(panel.parts.group.button(page), Qt.MouseButton.LeftButton)


def press_row(panel, row):
    at = panel.links.visualRect(panel.links.view_index(row)).center()
    QTest.mouseClick(panel.links.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_lists_are_those_of_the_comparison(panel_of):
    panel = panel_of()
    comparison = compare_measured(panel.state.report)
    for page, links in ((MORE, comparison.hot), (SLOW, comparison.slow), (DISAGREE, comparison.links.disagree)):
        press_page(panel, page)
        np.testing.assert_array_equal(panel.links.links, links)
        assert panel.parts.group.button(page).text().endswith(f" {links.size}")
    assert panel.none.text() == NONE[DISAGREE]
    assert panel.headline.text() == f"Correlation {comparison.correlation():.2f}"


def test_classes_have_means_of_links_with_counters(panel_of):
    panel = panel_of()
    press_page(panel, CLASSES)
    comparison = compare_measured(panel.state.report)
    columns = {column.title: column.values for column in panel.classes.source.columns}
    for k, each in enumerate(panel.state.report.case.network.classes):
        measured = comparison.measured[each.links]
        assert columns["measured"][k] == pytest.approx(np.nanmean(measured))
        assert columns["predicted"][k] == pytest.approx(comparison.predicted[each.links][~np.isnan(measured)].mean())
        assert columns["links"][k] == np.count_nonzero(~np.isnan(measured))


def test_a_row_selects_its_link_everywhere(panel_of):
    panel = panel_of()
    press_page(panel, MORE)
    press_row(panel, 0)
    assert panel.session.state.selection == Item("link", OTHER_LINK)


def test_one_click_declares_a_slow_link_and_one_undo_withdraws_it(panel_of):
    panel = panel_of()
    session = panel.session
    press_page(panel, SLOW)
    assert panel.chosen_link == SLOW_LINK
    network, before = session.state.evaluation.case.network, session.state.evaluation.case.scenario
    speed = compare_measured(session.state.report).measured[SLOW_LINK] / network.gbs[SLOW_LINK]
    QTest.mouseClick(panel.slow, Qt.MouseButton.LeftButton)
    (fault,) = session.state.evaluation.case.scenario.faults
    assert fault == LinkFault.of(network, SLOW_LINK, fault.speed)
    assert fault.speed == pytest.approx(speed, rel=1e-3)
    session.editing.undo()
    assert session.state.evaluation.case.scenario == before


def test_one_click_adds_the_unknown_background_and_one_undo_withdraws_it(panel_of):
    panel = panel_of()
    session = panel.session
    press_page(panel, MORE)
    before, comparison = session.state.evaluation.case.scenario, compare_measured(session.state.report)
    total = float(comparison.residual[OTHER_LINK])
    QTest.mouseClick(panel.add, Qt.MouseButton.LeftButton)
    (entry,) = session.state.evaluation.case.scenario.background
    assert entry.link(session.state.evaluation.case.network) == OTHER_LINK
    assert entry.load * comparison.scale == pytest.approx(total)
    assert panel.background.text() == f"Includes unknown background on 1 link, {total:.4g} GB/s in total"
    assert panel.none.text() == NONE[MORE]
    assert not panel.add.isVisible()
    assert session.state.undoes == f"Add unknown background on 1 link, {total:.4g} GB/s in total"
    session.editing.undo()
    assert session.state.evaluation.case.scenario == before
    assert not panel.background.isVisible()
    assert not panel.remove.isVisible()
    assert panel.add.isVisible()


def test_the_background_is_removed_again(panel_of):
    panel = panel_of()
    QTest.mouseClick(panel.add, Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.remove, Qt.MouseButton.LeftButton)
    assert panel.session.state.evaluation.case.scenario.background == ()
    assert panel.session.state.undoes == "Remove unknown background of 1 link"
    assert panel.parts.group.button(MORE).text() == "More 1"


def test_background_is_offered_only_for_links_with_more_than_predicted(panel_of):
    panel = panel_of()
    press_page(panel, SLOW)
    assert not panel.add.isVisible()
    press_page(panel, MORE)
    QTest.mouseClick(panel.add, Qt.MouseButton.LeftButton)
    before = panel.session.state.wanted
    add_unknown_background(panel.session)
    assert panel.session.state.wanted == before
    assert "no link with more than predicted" in panel.session.state.error.message


def test_a_search_avoids_the_added_background(panel_of):
    panel = panel_of()
    QTest.mouseClick(panel.add, Qt.MouseButton.LeftButton)
    report = panel.state.report
    assert report.others[OTHER_LINK] > 0
    result = optimise(report, Request(Throughput(), steps=2000, seconds=None))
    scenario = replace(report.case.scenario, mapping=Explicit(slots=result.slots.tolist()))
    better = evaluate(scenario.build())
    assert better.others[OTHER_LINK] == report.others[OTHER_LINK]
    assert better.total_load.max() <= report.total_load.max()
    assert better.time == pytest.approx(result.best)
    assert result.best < result.start
    assert better.load[OTHER_LINK] < report.load[OTHER_LINK]
    assert any(note.startswith("unknown background: ") for note in notes_of(better))


def test_slow_links_have_no_speed_without_the_interval(panel_of):
    panel = panel_of(seconds=None)
    press_page(panel, SLOW)
    assert panel.chosen_link == SLOW_LINK
    assert not panel.slow.isEnabled()


def test_no_link_is_slow_without_waits(panel_of):
    panel = panel_of(waits=False)
    press_page(panel, SLOW)
    assert not panel.slow.isVisible()
    assert panel.none.text() == as_sentence(NO_WAITS)


def test_a_slow_link_gets_the_highest_speed_of_all_intervals(tmp_path):
    session = session_on(series_scenario(tmp_path), theme=DARK, sync=True)
    comparison = session.state.measurement.comparison
    peak = series_rates(session.state.report.total_load, SLOW_LINK, OTHER_LINK)[:, SLOW_LINK].max()
    assert peak > 1.5 * comparison.measured[SLOW_LINK]
    speed = measured_speed(comparison, SLOW_LINK)
    assert speed == pytest.approx(peak / session.state.report.case.network.gbs[SLOW_LINK], rel=1e-6)
    session.close()


def test_the_scale_is_in_the_unit_of_the_job(panel_of):
    halo = Halo(rows=4, cols=4, message_bytes=1000)
    panel = panel_of(choices=TORUS | {"job": halo})
    figures = measured_figures(Counted(panel.state.report))
    unit = panel.state.report.case.job.measure.singular
    assert unit != "unit"
    assert panel.scale.text().startswith(f"{significant(figures.scale)} GB/s per {unit} ")
