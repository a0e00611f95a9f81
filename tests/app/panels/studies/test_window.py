"""The studies window: the form becomes a study, its points become rows, and a click opens their scenarios."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.panels.studies.point_scenario import REPEATED
from app.panels.studies.results_table import result_text
from app.panels.studies.window import STARTING, run_text
from core.load.evaluate import evaluate
from core.mapping import Explicit, Random, Sequential
from core.network import Torus
from core.sweep.measures import SEARCH_STEPS
from core.sweep.results import read_results
from core.sweep.study import decode_study
from core.timing import timeline
from tests.app.panels.studies.conftest import LEFT, TORUS, click_box, run, vary
from tests.core.sweep.studies import BASE, content


def tick(window, path, *titles):
    menu = window.form.rows[path].button.offered
    menu.popup(window.mapToGlobal(window.rect().center()))
    for action in menu.actions():
        if action.text() in titles:
            QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    assert menu.isVisible()
    menu.close()


def test_typed_and_ticked_fields_become_a_study(opened):
    assert opened.estimate.points.text() == "1 point"
    vary(opened, "network.gbs", "1..3")
    tick(opened, "mapping", "Random")
    assert opened.estimate.points.text() == "6 points"
    assert opened.asked.paths == ("network.gbs", "mapping")
    assert opened.asked.scenario(opened.asked.points[5]).mapping == Random()
    click_box(opened.form.figures["bottleneck"])
    assert opened.asked.measures.paths == ("throughput_gbs",)
    QTest.keyClicks(opened.form.more, "hops, classes.X.max_load")
    assert opened.asked.measures.paths == ("throughput_gbs", "hops", "classes.X.max_load")


def test_offered_networks_hold_the_job(opened):
    opened.session.choose("network", Torus(dims=(2, 8), slots_per_node=3))
    tick(opened, "network", "Hypercube", "Circulant")
    networks = [point[0] for point in opened.asked.points]
    assert [network["type"] for network in networks] == ["torus", "hypercube", "circulant"]
    for point in opened.asked.points:
        case = opened.asked.scenario(point).network.build()
        assert (case.nodes, case.slots) == (16, 48)
    assert (
        opened.form.rows["network"].button.text() == f"3 of {len(opened.form.rows['network'].button.offered.actions())}"
    )


def test_zip_needs_equally_many_values(opened):
    vary(opened, "network.gbs", "1, 2, 3")
    vary(opened, "job.rows", "2, 3, 4")
    assert opened.estimate.points.text() == "9 points"
    zipped = opened.form.combine.group.button(1)
    QTest.mouseClick(zipped, LEFT)
    assert opened.estimate.points.text() == "3 points"
    vary(opened, "job.rows", "2, 3")
    assert "the same number of values for every path" in opened.form.message.text()
    assert not opened.button.isEnabled()
    vary(opened, "job.rows", "2, 3, 4")
    assert opened.form.message.isHidden()


def test_error_is_shown_under_its_field(opened):
    vary(opened, "network.gbs", "much")
    row = opened.form.rows["network.gbs"]
    assert "give a number" in row.message.text()
    assert opened.asked is None
    assert not opened.button.isEnabled()
    click_box(row.check)
    assert row.message.isHidden()
    assert opened.estimate.points.text() == "1 point"


def test_each_point_becomes_a_row_with_its_figures(opened, here, qtbot):
    vary(opened, "network.gbs", "1, 2, 0.5")
    run(opened, qtbot)
    rows = opened.results.rows
    expected = [evaluate(TORUS.with_choice("network", Torus(dims=(4, 4), gbs=gbs)).build()) for gbs in (1, 2, 0.5)]
    assert [row["throughput_gbs"] for row in rows] == [report.throughput_gbs for report in expected]
    assert opened.table.sorted.rowCount() == 3
    assert [opened.table.sorted.index(k, 1).data() for k in range(3)] == ["1", "2", "0.5"]
    assert opened.status.text() == "3 of 3 points"
    (kept,) = (opened._folder).iterdir()
    assert read_results(kept).rows == tuple(rows)


def test_click_on_a_row_opens_its_scenario_as_one_undo_step(opened, here, qtbot):
    opened.setUpdatesEnabled(True)  # nothing breaks where it is drawn
    vary(opened, "network.gbs", "1, 2, 0.5")
    run(opened, qtbot)
    index = opened.table.view_index(1)
    QTest.mouseClick(opened.table.viewport(), LEFT, pos=opened.table.visualRect(index).center())
    session = opened.session
    assert session.state.evaluation.case.scenario == TORUS.with_choice("network", Torus(dims=(4, 4), gbs=2))
    assert len(session.state.history.steps) == 1
    # Typed texts are kept: the scenario on screen is another, its fields are the same.
    assert opened.form.rows["network.gbs"].line.text() == "1, 2, 0.5"
    assert opened.asked.digest != opened.study.digest
    session.editing.undo()
    assert session.state.evaluation.case.scenario == TORUS


def test_click_on_a_point_opens_it_and_another_point_is_pinned(opened, here, qtbot):
    vary(opened, "network.gbs", "1, 2, 4")
    run(opened, qtbot)
    plot = opened.plot.plot
    plot.build()
    first, _, last = plot.scatter.dots
    QTest.mouseClick(plot.chart.viewport(), LEFT, pos=plot.place_of(last).toPoint())
    assert opened.state.wanted.network.gbs == 4
    assert opened.detail.text() == "point 2, gbs 4"
    QTest.mouseClick(opened.pin, LEFT)
    assert opened.state.comparison.reference.case.scenario.network.gbs == 4
    QTest.mouseClick(plot.chart.viewport(), LEFT, pos=plot.place_of(first).toPoint())
    assert opened.state.wanted.network.gbs == 1
    assert opened.state.comparison.reference.case.scenario.network.gbs == 4
    assert (plot.scatter.chosen, plot.scatter.pinned) == (first.row, last.row)


def test_time_of_a_study_is_estimated_on_request(opened):
    vary(opened, "network.gbs", "1..40")
    assert opened.estimate.points.text() == "40 points"
    QTest.mouseClick(opened.estimate.link, LEFT)
    assert re.fullmatch(r"40 points, about .+ s on \d+ cores?", opened.estimate.points.text())
    assert opened.estimate.link.isHidden()
    vary(opened, "network.gbs", "1..30")
    assert opened.estimate.points.text() == "30 points"
    assert opened.estimate.link.isVisible()


def test_field_shows_its_unit(opened):
    assert opened.form.rows["network.gbs"].check.text() == "Bandwidth, GB/s"


def test_an_empty_plot_is_not_exported(opened, here, qtbot):
    assert not opened.plot.export.isEnabled()
    run(opened, qtbot)
    assert opened.plot.export.isEnabled()


def test_searched_point_opens_with_its_best_mapping(opened, here, qtbot, tmp_path):
    search = {"seconds": 0.02, "seed": 1, "objective": {"type": "hops"}}
    base = {**BASE, "mapping": {"type": "random", "seed": 3}}
    path = tmp_path / "searched.fabriscope-study.json"
    path.write_bytes(
        content(base=base, vary={"network.gbs": [1, 2]}, measure=["hops", "optimise.steps"], optimise=search)
    )
    opened.load(path)
    QTest.mouseClick(opened.resume, LEFT)
    qtbot.waitUntil(lambda: len(opened.results.rows) == 2 and not opened.run.busy)
    opened._pick(1)
    case = opened.session.state.evaluation.case
    assert isinstance(case.scenario.mapping, Explicit)
    assert (
        timeline(case).hops
        == opened.results.rows[1]["hops"]
        < timeline(decode_study(content(base=base)).scenario(()).build()).hops
    )
    assert opened.detail.text().startswith("point 1")


def test_search_requested_in_the_form_opens_with_its_best_mapping(opened, here, qtbot):
    click_box(opened.form.search)
    opened.form.seconds.clear()
    QTest.keyClicks(opened.form.seconds, "0.02")
    opened.session.choose("mapping", Random(seed=3))
    assert opened.asked.measures.paths == ("throughput_gbs", "bottleneck", SEARCH_STEPS)
    run(opened, qtbot)
    assert "Mappings tried" in [column.title for column in opened.table.source.columns]
    opened._pick(0)
    assert opened.session.state.report.throughput_gbs == opened.results.rows[0]["throughput_gbs"]
    assert opened.detail.text() == "point 0"


def test_repeated_search_that_may_differ_has_a_note(opened, here, qtbot, tmp_path):
    path = tmp_path / "searched.fabriscope-study.json"
    path.write_bytes(content(vary={"network.gbs": [1, 2]}, optimise={"seconds": 0.02}))
    opened.load(path)
    QTest.mouseClick(opened.resume, LEFT)
    qtbot.waitUntil(lambda: len(opened.results.rows) == 2 and not opened.run.busy)
    opened.results.rows[1][SEARCH_STEPS] = None  # as in results of earlier versions
    opened._pick(1)
    assert opened.detail.text() == REPEATED


def test_cluster_without_workers_is_reported(opened, here, qtbot):
    here.workers, here.holds_at = 0, 0
    QTest.keyClicks(opened.form.cluster, "tcp://127.0.0.1:9")
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: opened.status.text() == "waiting for workers at tcp://127.0.0.1:9")
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: not opened.run.busy)


def test_invalid_point_is_a_row_with_its_error(opened, here, qtbot):
    vary(opened, "job.rows", "2, 16, 4")
    run(opened, qtbot)
    assert [row["error"] is None for row in opened.results.rows] == [True, False, True]
    assert opened.status.text() == "3 of 3 points · 1 failed"
    heads = [column.title for column in opened.table.source.columns]
    assert heads == ["point", "Rows", "error", "Throughput, GB/s", "Bottleneck", "CPU", "elapsed"]
    index = opened.table.view_index(1)
    QTest.mouseClick(opened.table.viewport(), LEFT, pos=opened.table.visualRect(index).center())
    assert opened.message.text() == f"Point 1 failed: {opened.results.rows[1]['error']}"
    assert not opened.pin.isVisible()
    assert opened.state.wanted == TORUS


def test_stopped_run_keeps_its_rows(opened, here, qtbot):
    here.holds_at = 2
    vary(opened, "network.gbs", "1..9")
    QTest.mouseClick(opened.button, LEFT)
    assert opened.button.text() == "Stop"
    qtbot.waitUntil(lambda: here.reached and len(opened.results.rows) == 2)
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: not opened.run.busy)
    assert opened.button.text() == "Run"
    (kept,) = opened._folder.iterdir()
    assert len(read_results(kept).rows) == 2


def test_rows_are_sorted_by_point_and_keep_the_selection(opened, here, qtbot):
    here.order, here.holds_at = [2, 0, 3, 1], 3
    vary(opened, "network.gbs", "1, 2, 4, 8")
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: len(opened.results.rows) == 2)
    assert [row["point"] for row in opened.results.rows] == [2, 0]
    index = opened.table.view_index(0)
    QTest.mouseClick(opened.table.viewport(), LEFT, pos=opened.table.visualRect(index).center())
    QTest.mouseClick(opened.pin, LEFT)
    here.holds_at = None
    qtbot.waitUntil(lambda: not opened.run.busy)
    assert [row["point"] for row in opened.results.rows] == [0, 1, 2, 3]
    assert (opened.plot.plot.scatter.chosen, opened.plot.plot.scatter.pinned) == (2, 2)
    assert opened.table.source_row(opened.table.currentIndex()) == 2


def test_cluster_is_given_by_its_address(opened, here, qtbot):
    QTest.keyClicks(opened.form.cluster, " tcp://10.0.0.1:8786")
    run(opened, qtbot)
    assert here.cluster == "tcp://10.0.0.1:8786"
    opened.form.cluster.clear()
    run(opened, qtbot)
    assert here.cluster is None


def test_closing_the_window_stops_the_run(opened, here, qtbot):
    here.holds_at = 1
    vary(opened, "network.gbs", "1..9")
    QTest.mouseClick(opened.button, LEFT)
    qtbot.waitUntil(lambda: here.reached)
    opened.close()
    qtbot.waitUntil(lambda: not opened.run.busy)
    assert len(opened.results.rows) == 1


def test_study_runs_on_worker_processes(opened, qtbot, monkeypatch):
    monkeypatch.setattr("app.panels.studies.study_run.cores", lambda: 1)  # each takes long to start
    vary(opened, "network.gbs", "1, 2")
    run(opened, qtbot)
    assert [row["throughput_gbs"] for row in opened.results.rows] == [4.0, 8.0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"), (22.857142, "22.86"), (20.0, "20"), (1234567, "1,234,567"), (False, "no"), ("LR", "LR"),
        ('{"type":"random","seed":3}', "Random, seed 3"), ("[4,4]", "4 × 4"), ("{odd", "{odd"),
        ('{"type":"explicit","slots":[0,1,2,3,4,5,6,7,8]}', "Custom, 9 slots"),
    ],
)  # fmt: skip
def test_results_are_written_as_text(value, text):
    assert result_text(value) == text


def test_progress_of_a_run_is_shown():
    assert run_text(0, 1, 0, 0.0) == f"0 of 1 point · {STARTING}"
    assert run_text(10, 40, 1, 2.0) == "10 of 40 points · 1 failed · 2.00 per second · 15 s left"
    assert run_text(40, 40, 0, None) == "40 of 40 points"


def test_tab_order_is_top_to_bottom_after_another_scenario(opened, qtbot):
    opened.session.choose("mapping", Random(seed=3))
    rows = list(opened.form.rows.values())
    qtbot.waitUntil(lambda: all(row.isVisible() for row in rows))
    assert [path.partition(".")[0] for path in opened.form.rows] == sorted(
        (path.partition(".")[0] for path in opened.form.rows),
        key=["network", "job", "mapping", "routing", "timing"].index,
    )
    rows[0].check.setFocus()
    for row in rows:
        assert row.check.hasFocus()
        QTest.keyClick(opened.focusWidget(), Qt.Key.Key_Tab)
        assert row.editor.hasFocus()
        QTest.keyClick(opened.focusWidget(), Qt.Key.Key_Tab)


def test_a_key_opens_the_window_and_it_closes_with_the_main_one(formless, window, here, qtbot):
    QTest.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    studies = window._studies
    assert studies.isVisible()
    assert studies._folder == window.settings.studies
    here.holds_at = 0
    QTest.mouseClick(studies.button, LEFT)
    qtbot.waitUntil(lambda: here.reached)
    window.close()
    assert not studies.isVisible()


def test_fields_of_the_current_scenario_are_offered(opened):
    opened.session.choose("mapping", Random(seed=3))
    assert "mapping.seed" in opened.form.rows
    assert opened.form.rows["mapping.seed"].line.placeholderText() == "3"
    opened.session.choose("mapping", Sequential())
    assert "mapping.seed" not in opened.form.rows
