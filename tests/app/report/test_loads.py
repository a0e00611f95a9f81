"""The figures of a report: each cell is recomputed from the loads, the bounds and the times."""

from dataclasses import replace

import pytest

from app.report.document import Table, Words
from app.report.findings import findings_of
from app.report.loads import figures_section, heat, report_headline
from app.session.evaluation import evaluate_scenario
from app.style.colour import lookup_table
from app.wording.numbers import percent
from core.figures.evaluation import Evaluated
from core.figures.listed import listed
from core.job import AllToAll, Halo, Sequence
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import ModColour, Random, Sequential
from core.network import Percs, Torus
from core.network.faults import LinkFault
from core.routing import DimensionOrder, PercsDirect
from core.spec import no_progress
from core.text import as_sentence, duration

HALO = Scenario(Torus(dims=(4, 6)), Halo(rows=4, cols=6), Random(seed=3), DimensionOrder())
ALONE = replace(HALO, job=Halo(rows=2, cols=4), mapping=Sequential(), allocation="0-7")
BESIDE = Neighbour(name="B", job=AllToAll(tasks=6), mapping=Random(seed=1), allocation="8,10,12,14,16,18")
SHARED = replace(ALONE, neighbours=(BESIDE,))
SILENT = replace(HALO, job=Halo(rows=1, cols=1, periodic=False))
PUBLISHED = Scenario(Percs(supernodes=16, d_links=4), Halo(rows=32, cols=64), ModColour(), PercsDirect())


@pytest.fixture(scope="module")
def findings_from():
    cache = {}

    def findings(scenario):
        if scenario not in cache:
            cache[scenario] = findings_of(evaluate_scenario(scenario, None, no_progress))
        return cache[scenario]

    return findings


def tables(findings):
    return {table.caption: table for table in figures_section(findings).parts if isinstance(table, Table)}


def classes(findings):
    return next(table for caption, table in tables(findings).items() if caption.startswith("Link classes. t "))


def number(text):
    return float(text.replace(",", ""))


def heads(table):
    return [f"{column.title} {column.unit}".strip() for column in table.columns]


def test_the_headline_has_the_throughput_and_its_upper_bound(findings_from):
    evaluation = findings_from(HALO).evaluation
    headline = report_headline(evaluation)
    report, bound = evaluation.report, evaluation.bounds[0]
    assert number(headline.number) == pytest.approx(1 / report.time, rel=1e-3)
    assert (headline.unit, headline.verdict) == ("GB/s per node", f"Limited by {report.bottleneck} links.")
    most, distance = headline.lines
    assert most.startswith("Upper bound ")
    assert number(most.split()[2]) == pytest.approx(1 / bound.time, rel=1e-3)
    assert most.endswith(f": {bound.reason}.")
    assert distance == f"This mapping reaches {percent(bound.time / report.time)} of the upper bound."


def test_jobs_with_bytes_have_a_time_and_jobs_without_loads_have_none(findings_from):
    report = findings_from(replace(HALO, job=Halo(rows=4, cols=6, message_bytes=1e9))).evaluation.report
    assert (
        report_headline(findings_from(report.case.scenario).evaluation).unit
        == f"GB/s per node, {duration(report.time)}"
    )
    assert report_headline(findings_from(SILENT).evaluation).number == "No load"


def test_classes_have_their_figures_and_a_bar_with_the_bounds_mark(findings_from):
    findings = findings_from(HALO)
    report, bounds, table = findings.evaluation.report, findings.evaluation.bounds, classes(findings)
    assert heads(table) == [
        "Class", "Links", "Bandwidth GB/s per direction", "Largest load units", "Mean load units",
        "Limit of this class GB/s per node", "Upper bound GB/s per node", "Time % of t", "",
    ]  # fmt: skip
    network = report.case.network
    for row, bar, name in zip(table.rows, table.bars, "XY", strict=True):
        loads = report.load[network.class_of == [c.name for c in network.classes].index(name)]
        time = loads.max() / 0.425
        most = max(bound.time for bound in bounds if bound.link_class == name)
        assert row[:3] == (name, "48", "0.425")
        expected = [loads.max(), loads.mean(), 1 / time, 1 / most, 100 * time / report.time]
        assert [number(text) for text in row[3:]] == pytest.approx(expected, rel=2e-3)
        assert (bar.share, bar.mark) == pytest.approx((time / report.time, most / report.time))
    assert table.strong == [row[0] for row in table.rows].index(*report.limiting)
    assert table.caption.endswith("The mark on a bar is the lower bound for any mapping.")


def test_a_class_is_emphasised_only_if_it_alone_limits_the_job(findings_from):
    even = findings_from(replace(HALO, network=Torus(dims=(4, 4)), job=Halo(rows=4, cols=4), mapping=Sequential()))
    assert len(even.evaluation.report.limiting) == 2
    assert classes(even).strong == -1
    assert [row[-1] for row in classes(findings_from(SILENT)).rows] == ["0", "0"]
    assert {bar.mark for bar in classes(findings_from(SILENT)).bars} == {None}
    assert "mark" not in classes(findings_from(SILENT)).caption


def test_a_shared_class_has_the_share_of_this_job(findings_from):
    findings = findings_from(SHARED)
    report, table = findings.evaluation.report, classes(findings)
    own = heads(table).index("This job %")
    class_of = report.case.network.class_of
    for k, row in enumerate(table.rows):
        total, sent = (loads[class_of == k].sum() for loads in (report.total_load, report.load))
        assert 0 < sent < total
        assert number(row[own]) == pytest.approx(100 * sent / total, abs=0.06)
    assert "This job %" not in heads(classes(findings_from(ALONE)))


def test_background_jobs_have_their_times(findings_from):
    findings = findings_from(SHARED)
    table = tables(findings)["Jobs on the machine. This report is on the first job."]
    assert [row[:3] for row in table.rows] == [("Halo, 5-point", "8", "8"), ("B", "6", "6")]
    for row, job in zip(table.rows, findings.jobs, strict=True):
        alone, beside = job.report.time_alone, job.report.time
        assert row[3:5] == (f"{duration(beside)} per unit", f"{duration(alone)} per unit")
        assert number(row[5]) == pytest.approx(1 / beside, rel=1e-3)
        assert row[6].startswith("not slowed" if beside == alone else f"runs {beside / alone:.3g}× slower")


def test_each_class_has_its_strongest_bound_strongest_first(findings_from):
    findings = findings_from(HALO)
    table = tables(findings)["Proved upper bounds."]
    bounds = findings.evaluation.bounds
    names = [row[0] for row in table.rows]
    assert len(names) == len(set(names)) == len({bound.link_class for bound in bounds})
    for name, most, reason in table.rows:
        own = [bound for bound in bounds if (bound.link_class or "all") == name]
        strongest = max(own, key=lambda bound: bound.time)
        assert number(most) == pytest.approx(1 / strongest.time, rel=1e-3)
        assert reason in [as_sentence(bound.reason) for bound in own if bound.time == strongest.time]
    assert [number(row[1]) for row in table.rows] == sorted(number(row[1]) for row in table.rows)


def test_published_predictions_are_listed(findings_from):
    findings = findings_from(PUBLISHED)
    predicted = findings.evaluation.predictions
    table = tables(findings)["Prediction of Chakaravarthy et al. (2012) for this mapping."]
    assert [(row[0], row[2]) for row in table.rows] == [
        (prediction.link_class, prediction.formula) for prediction in predicted
    ]
    for row, prediction in zip(table.rows, predicted, strict=True):
        assert row[1].startswith("at least ") == prediction.at_least
        assert number(row[1].removeprefix("at least ")) == pytest.approx(prediction.gbs, rel=1e-3)
    assert "Prediction of Chakaravarthy et al. (2012) for this mapping." not in tables(findings_from(HALO))


def test_durations_of_phases_are_listed(findings_from):
    parts = HALO.job, AllToAll(tasks=24), Halo(rows=4, cols=6, periodic=False)
    findings = findings_from(replace(HALO, job=Sequence(parts=parts)))
    rows = tables(findings)["Phases."].rows
    alone = [evaluate_scenario(replace(HALO, job=job), None, no_progress).report for job in parts]
    assert [row[1] for row in rows] == [f"{duration(evaluated.time)} per unit" for evaluated in alone]
    assert [row[2] for row in rows] == [evaluated.bottleneck for evaluated in alone]
    assert "Phases." not in tables(findings_from(HALO))


def test_other_figures_are_listed(findings_from):
    findings = findings_from(HALO)
    rows = tables(findings)["Counts and means."].rows
    source = Evaluated(findings.evaluation.report)
    assert ("Hops", f"{source.messages[1]:,.0f}", "Links crossed by all messages, in total.") in rows
    assert [title for title, *_ in rows] == [row_listed.figure.title for row_listed in listed(source)]


def test_notes_are_sentences(findings_from):
    *_, notes = figures_section(findings_from(replace(HALO, faults=(LinkFault(src=0, dst=1),)))).parts
    assert notes.lines == [
        "2 links failed: Y link (0,0) – (0,1).",
        "1 flow (0.25 units) is disconnected: dimension order routing has no path left between rows 0 and 1.",
    ]
    assert not any(isinstance(part, Words) for part in figures_section(findings_from(HALO)).parts)


def test_colours_match_the_machine_in_both_themes():
    light, dark = (lookup_table("heat", dark=dark) for dark in (False, True))
    for share, place in ((-1.0, 0), (0.0, 0), (0.2, 51), (1.0, 255), (1.5, 255)):
        expected = tuple("#" + bytes(table[place][:3].tolist()).hex() for table in (light, dark))
        assert heat(share) == expected
