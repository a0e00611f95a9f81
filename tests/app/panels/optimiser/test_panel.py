"""The optimiser panel, used by pointer: its requests, its figures, its buttons."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.model.search_run import Budget, SearchSettings
from app.model.state_groups import ComparisonMode, SearchPhase
from app.panels.optimiser.convergence_curves import curve_legend
from app.panels.optimiser.panel import CHOOSING, SETTINGS, STARTING, OptimiserPanel, status
from app.panels.optimiser.run_table import run_columns
from app.session.optimiser import optimise_in_core
from app.wording.numbers import factor, figure_text, gbs, time_text
from core.job import Flows, Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Percs, Torus
from core.optimise.method import Annealing, TwoOpt
from core.optimise.objective import HopBytes, Mix, TotalHops, WorstFailure
from core.optimise.restart_statistics import Spread
from core.routing import DimensionOrder, Minimal, PercsDirect
from tests.app.climbing import climb
from tests.patience import wait

LEFT = Qt.MouseButton.LeftButton
SMALL = Scenario(Percs(supernodes=4, d_links=4), Halo(rows=16, cols=24), Random(seed=3), PercsDirect())
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=3, cols=4), Random(seed=14), DimensionOrder())
BUDGET = Budget(seconds=None, steps=30, seed=2, workers=1)


@pytest.fixture
def panel(session_of, laid_out):
    session = session_of(SMALL)
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=BUDGET))
    return laid_out(OptimiserPanel(session), 690, 330)


def click(widget, at=None):
    assert widget.isVisible()
    assert widget.isEnabled()
    QTest.mouseClick(widget, LEFT, pos=at if at is not None else widget.rect().center())


def choose(combo, text):
    index = combo.findText(text)
    assert index >= 0, text
    combo.setCurrentIndex(index)
    combo.activated.emit(index)


def row_at(table, row):
    return table.visualRect(table.sorted.index(row, 0)).center()


def slots_of(panel):
    return panel.state.evaluation.case.mapping.slots.copy()


def test_button_starts_a_search_and_keep_makes_one_undo_step(panel):
    before = panel.state
    assert (panel.button.text(), panel.keep.isVisible(), panel.discard.isVisible()) == ("Optimise", False, False)
    click(panel.button)
    run = panel.session.state.search.runs[0]
    assert panel.state.search.phase is SearchPhase.FOUND
    assert panel.keep.isVisible()
    assert panel.plot.picture.main.best[-1] == pytest.approx(run.best)
    click(panel.keep)
    assert [step.name for step in panel.session.state.history.steps] == [run.name]
    assert not panel.keep.isVisible()
    panel.session.editing.undo()
    assert panel.state.wanted == before.wanted
    np.testing.assert_array_equal(panel.state.report.load, before.report.load)


def test_discard_restores_the_state_before_the_search(panel):
    before = panel.state
    click(panel.button)
    assert panel.state.evaluation is not before.evaluation
    click(panel.discard)
    assert panel.state.evaluation is before.evaluation
    assert panel.state.wanted is before.wanted
    assert not panel.session.state.history.steps


def test_choices_reach_the_search(panel):
    form = panel.form
    choose(form.objective.combo, "Hop-bytes")
    choose(form.method.combo, "Simulated annealing")
    choose(form.unit, "node")
    choose(form.within, "same supernode")
    box = form.method.forms[Annealing].form.editors["hot"].box
    box.setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box, "0.2")
    settings = panel.state.search.settings
    assert (settings.objective, settings.method) == (HopBytes(), Annealing(hot=0.2))
    assert (settings.unit, settings.within) == ("node", "supernode")
    assert settings.budget == BUDGET


def test_invalid_value_has_an_error_under_its_field_and_changes_nothing(panel):
    before = panel.state.search.settings
    box = panel.form.budget.form.editors["workers"].box
    box.setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box, "0")
    assert panel.form.budget.form.messages["workers"].text() == "must be at least 1"
    assert panel.state.search.settings == before
    box.lineEdit().selectAll()
    QTest.keyClicks(box, "2")
    assert panel.form.budget.form.messages["workers"].text() == ""
    assert panel.state.search.settings.budget.workers == 2


def test_fields_show_their_values_from_the_start(panel):
    panel.session.set_search_settings(replace(panel.state.search.settings, objective=Mix()))
    boxes = panel.form.objective.forms[Mix].form.editors
    assert boxes["throughput"].box.lineEdit().text() == "1"
    assert panel.form.budget.form.editors["seconds"].box.lineEdit().placeholderText() == "no limit"


def test_levels_are_taken_from_the_network(panel, session_of, show):
    names = [panel.form.unit.itemText(index) for index in range(panel.form.unit.count())]
    assert names == ["task", "node", "drawer", "supernode"]
    choose(panel.form.unit, "drawer")
    names = [panel.form.within.itemText(index) for index in range(panel.form.within.count())]
    assert names == ["anywhere", "same supernode"]
    torus = show(OptimiserPanel(session_of(TORUS)), 690, 330)
    assert torus.form.unit.findText("supernode") < 0


def test_pins_are_counted_and_removed(panel):
    click(panel.pages.group.button(SETTINGS))
    panel.session.mark([1, 2, 3])
    click(panel.form.pin)
    assert panel.state.search.pinned_tasks.tolist() == [1, 2, 3]
    assert panel.form.pins.text() == "3 tasks pinned"
    panel.session.mark([7])
    click(panel.form.pin)
    assert panel.state.search.pinned_tasks.tolist() == [1, 2, 3, 7]
    click(panel.form.unpin)
    assert panel.state.search.pinned_tasks.size == 0


def test_selected_tasks_only_without_a_selection_is_refused(panel):
    panel.form.marked_only.click()
    assert panel.state.search.settings.marked_only
    click(panel.button)
    assert "No task is selected" in panel.form.message.text()
    panel.session.mark([1, 2, 3])
    click(panel.button)
    assert panel.form.message.text() == ""


def test_runs_are_listed_in_the_table(panel):
    for seed in (1, 2):
        panel.session.set_search_settings(replace(panel.state.search.settings, budget=replace_seed(seed)))
        click(panel.button)
        click(panel.discard)
    first, second = panel.session.state.search.runs
    assert panel.table.runs == (second, first)
    assert panel.state.search.chosen_run is second
    assert [trace.name for trace in panel.plot.picture.others] == ["run 1"]
    click(panel.table.viewport(), row_at(panel.table, 1))
    assert panel.state.search.chosen_run is first
    assert panel.plot.picture.main.name == "run 1"
    click(panel.show_best)
    assert panel.session.state.search.shown == first.number
    np.testing.assert_array_equal(slots_of(panel), first.slots)
    steps = first.steps
    click(panel.resume)
    assert panel.state.search.run(first.number).steps == 2 * steps
    click(panel.discard)
    click(panel.forget)
    assert panel.session.state.search.runs == (second,)


def replace_seed(seed):
    return Budget(seconds=None, steps=40, seed=seed, workers=1)


def test_chosen_run_stays_while_figures_change(panel):
    panel.setUpdatesEnabled(True)  # a table that is not drawn scrolls later
    panel.session.set_search_settings(SearchSettings(budget=Budget(seconds=None, steps=8, seed=1, workers=1)))
    for _ in range(12):
        click(panel.button)
        click(panel.discard)
    panel.resize(690, 300)
    bar = panel.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.value() > 0
    before = bar.value()
    first = panel.session.state.search.runs[0]
    click(panel.table.viewport(), row_at(panel.table, 11))
    assert panel.state.search.chosen_run is first
    panel.session.set_pinned_tasks([1])
    assert (panel.state.search.chosen_run, bar.value()) == (first, before)
    assert panel.table.run_at(panel.table.currentIndex()) is first


def test_a_double_click_shows_a_run_again(panel):
    click(panel.button)
    click(panel.discard)
    where = row_at(panel.table, 0)
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=where)
    QTest.mouseDClick(panel.table.viewport(), LEFT, pos=where)
    assert panel.state.search.phase is SearchPhase.FOUND
    assert panel.session.state.search.shown_run is panel.session.state.search.runs[0]


def test_changes_are_listed_and_shown_link_by_link(panel):
    click(panel.button)
    click(panel.pages.group.button(1))
    assert "moved to another node" in panel.changes.text()
    assert "hottest link" in panel.changes.text()
    click(panel.explain)
    assert panel.state.comparison.mode is ComparisonMode.DIFFERENCE


def test_size_hint_is_constant(panel):
    before = panel.minimumSizeHint()
    click(panel.button)
    click(panel.pages.group.button(1))
    assert panel.minimumSizeHint() == before


def test_runs_have_their_own_page_in_a_low_panel(panel):
    click(panel.button)
    assert panel.table.isVisible()
    assert not panel.pages.group.button(2).isVisible()
    panel.resize(466, 190)
    wait(0)
    assert not panel.table.isVisible()
    click(panel.pages.group.button(2))
    assert panel.table.isVisible()
    assert not panel.plot.isVisible()
    panel.resize(690, 330)
    wait(0)
    assert panel.plot.isVisible()


def test_columns_depend_on_the_width(panel):
    click(panel.button)
    runs = panel.session.state.search.runs
    titles = {width: [column.title for column in run_columns(runs, width)] for width in (700, 450, 320, 240)}
    assert titles[700][:4] == ["#", "goal", "method", "start"]
    assert "seed" in titles[700]
    assert "per s" in titles[450]
    assert titles[320] == ["#", "method", "start", "best, GB/s", "bound ÷ best", "searched"]
    assert titles[240] == ["#", "method", "best, GB/s", "bound ÷ best", "searched"]
    click(panel.keep)
    panel.session.set_search_settings(replace(panel.state.search.settings, objective=TotalHops(), method=TwoOpt()))
    click(panel.button)
    assert [column.title for column in run_columns(panel.session.state.search.runs, 240)][:3] == ["#", "goal", "best"]


def test_numbers_are_never_elided_with_a_column_of_times(session_of, show):
    job = Flows(
        src=tuple(range(11)), dst=tuple(range(1, 12)), volume=tuple(float(k) for k in range(8_000, 19_000, 1_000))
    )
    session = session_of(replace(TORUS, job=job))
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=BUDGET))
    panel = show(OptimiserPanel(session), 690, 330)
    click(panel.button)
    table = panel.table
    assert "t" in [column.title for column in table.source.columns]
    for width in range(340, 800, 20):
        table.resize(width, table.height())
        last = table.horizontalHeader().count() - 1
        assert table.columnViewportPosition(last) + table.columnWidth(last) <= table.width(), width


def test_subtitle_shows_the_status_of_the_run(panel):
    received = []
    panel.subtitle_changed.connect(received.append)
    click(panel.button)
    run = panel.session.state.search.runs[0]
    assert received[-1] == status(run)
    assert f"run 1: {run.start:.4g}" in received[-1].replace(",", "")
    assert "GB/s per node" in received[-1]
    assert "bound ÷ best" in received[-1]
    run = run.with_result(replace(run.last, spread=Spread(3, run.last.best, run.last.start, run.last.start)))
    assert status(run).endswith(f"3 restarts: best {gbs(run.best)}, median {gbs(run.start)}, worst {gbs(run.start)}")
    run = run.resumed(30.0).with_result(replace(run.last, seconds=5.0))
    assert f" · searching, {time_text(run.seconds)} of {time_text(run.seconds + 25.0)} · " in status(run)
    click(panel.discard)
    assert "discarded" in received[-1]


def test_curve_is_painted(panel):
    panel.session.set_search_settings(SearchSettings(budget=Budget(seconds=None, steps=120, seed=1, workers=1)))
    click(panel.button)
    picture = panel.plot.picture
    assert picture.main.best[-1] > picture.start
    panel.setUpdatesEnabled(True)
    panel.plot.build()
    area = panel.plot.chart.area
    where = QPoint(round(area.frame.right()) - 6, round(area.pixel(0, picture.main.best[-1]).y()))
    image = panel.plot.grab().toImage()
    colours = {image.pixelColor(where.x(), where.y() + dy).name() for dy in (-1, 0, 1)}
    assert panel.state.style.theme.accent in colours


def test_two_opt_uses_empty_slots_only_if_enabled(panel):
    box = panel.form.empty
    for method, offered in ((Annealing(), True), (TwoOpt(), False), (TwoOpt(empty=True), True)):
        panel.session.set_search_settings(SearchSettings(method=method))
        assert (box.isEnabled(), box.isChecked()) == (offered, offered)
    assert panel.state.search.settings.empty


def test_best_swaps_method_refuses_other_objectives(panel):
    panel.session.optimiser.search = optimise_in_core
    choose(panel.form.method.combo, "Best single swaps")
    choose(panel.form.objective.combo, "Hop-bytes")
    click(panel.button)
    assert panel.form.message.text() == "Best single swaps support only the objective throughput."
    choose(panel.form.objective.combo, "Throughput")
    panel.session.set_search_settings(replace(panel.state.search.settings, budget=Budget(seconds=None, steps=20_000)))
    click(panel.button)
    run = panel.state.search.runs[-1]
    assert panel.state.search.phase is SearchPhase.FOUND
    assert f"{run.result.swaps} swaps" in status(run)
    click(panel.keep)
    assert panel.state.history.undo_name == f"Apply {run.result.swaps} best swaps"


@pytest.mark.parametrize("size", [(1100, 330), (440, 190)], ids=str)
def test_the_settings_are_above_the_curve_and_stay_when_a_search_has_ended(panel, size):
    def places():
        wait(50)
        boxes = (panel.form.objective.combo, panel.form.method.combo, panel.form.unit, panel.form.within)
        return [box.mapTo(panel, box.rect().bottomLeft()) for box in boxes]

    panel.resize(*size)
    before = places()
    click(panel.button)
    assert panel.keep.isVisible()
    assert places() == before
    assert (
        max(place.y() for place in before)
        < panel.button.mapTo(panel, QPoint()).y()
        < panel.plot.mapTo(panel, QPoint()).y()
    )
    assert panel.plot.width() > 0.9 * panel.width()
    if size[0] > 600:
        assert len({place.y() for place in before}) == 1


def test_the_choice_of_failures_has_a_bar_and_stops(panel, monkeypatch):
    panel.session.set_search_settings(SearchSettings(objective=WorstFailure(2)))
    monkeypatch.setattr(panel.session.optimiser._thread, "begin", lambda number, work: None)
    click(panel.button)
    assert panel.button.text() == "Stop (starting …)"
    panel.session.optimiser._on_prepared(1, 0.4)
    assert panel.bar.isVisible()
    assert panel.bar.chunk == (0.0, 0.4)
    assert (panel.plot.message, panel.button.text()) == (CHOOSING, "Stop")
    assert status(panel.state.search.runs[-1]) == "run 1: evaluating failures, 40 % …"
    panel.session.optimiser._on_prepared(1, 1.0)
    assert (panel.plot.message, panel.button.text()) == (STARTING, "Stop (starting …)")
    assert panel.bar.chunk != (0.0, 1.0)
    panel.session.optimiser.discard()


def test_the_worst_failure_has_a_lower_bound_and_named_failures(session_of, laid_out):
    session = session_of(replace(TORUS, routing=Minimal(spread="equal")))
    session.set_search_settings(SearchSettings(objective=WorstFailure(2), budget=BUDGET))
    panel = laid_out(OptimiserPanel(session), 690, 330)
    click(panel.button)
    run = panel.state.search.runs[-1]
    legend = dict(curve_legend(panel.plot.picture)[::-1])
    assert legend[f"lower bound {figure_text(run.limit)}"] == "limit"
    assert panel.plot.picture.limit == run.limit <= run.best
    assert f"best ÷ bound {factor(run.best / run.limit)}" in status(run)
    assert "best ÷ bound" in [column.title for column in run_columns(panel.state.search.runs, 700)]
    network = panel.state.evaluation.case.network
    first, second = (failure.what(network) for failure in run.last.failures)
    counted = f"Counts the longest time without and after 2 failures: {first} and {second}."
    assert panel.changes.text().splitlines()[-1] == counted
    panel.session.optimiser.discard()
    panel.session.choose("network", Torus((4, 5)))
    assert "failures" not in panel.changes.text()
