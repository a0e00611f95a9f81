"""The bottleneck in a report: the parts of a link's load add up to it, and swaps have the stated effect."""

from dataclasses import replace

import numpy as np
import pytest

from app.report.causes import MAX_LINKS, bottleneck_section, hottest_section
from app.report.document import SideTables, Table, Words
from app.report.findings import MAX_EXPLAINED, findings_of
from app.session.evaluation import evaluate_scenario
from app.storage.presets import preset
from core.job import AllToAll, Flows, Halo
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Torus
from core.routing import DimensionOrder
from core.spec import no_progress

HALO = Scenario(Torus(dims=(4, 6)), Halo(rows=4, cols=6), Random(seed=3), DimensionOrder())
EVEN = replace(HALO, network=Torus(dims=(4, 4)), job=Halo(rows=4, cols=4), mapping=Sequential())
SHARED = replace(
    HALO,
    job=Halo(rows=2, cols=4),
    mapping=Sequential(),
    allocation="0-7",
    neighbours=(Neighbour(name="B", job=AllToAll(tasks=6), mapping=Random(seed=1), allocation="8,10,12,14,16,18"),),
)
PAIR = replace(HALO, job=Flows(2, (0, 1), (1, 0), (1.0, 3.0)), mapping=Sequential())
NOTHING = "No link carries anything."


@pytest.fixture(scope="module")
def findings_from():
    cache = {}

    def findings(scenario):
        if scenario not in cache:
            cache[scenario] = findings_of(evaluate_scenario(scenario, None, no_progress))
        return cache[scenario]

    return findings


def number(text):
    return float(text.replace(",", ""))


def parts(findings, kind):
    return [part for part in bottleneck_section(findings).parts if isinstance(part, kind)]


def test_the_parts_of_a_load_add_up_to_it_and_their_shares_to_all(findings_from):
    findings = findings_from(HALO)
    report, explained = findings.evaluation.report, parts(findings, SideTables)
    assert len(explained) == min(2, MAX_EXPLAINED)
    for tables_of_link, cause in zip(explained, findings.causes, strict=True):
        load = report.load[cause.link]
        assert f"{load:g} units · " in tables_of_link.title
        assert [table.caption for table in tables_of_link.tables] == [
            "By role of the hop.", "By position on the path.", "By pair of rows.", "By pair of tasks.",
        ]  # fmt: skip
        for table in tables_of_link.tables:
            loads, shares = ([number(row[k]) for row in table.rows] for k in (1, 2))
            assert shares == pytest.approx([100 * part / load for part in loads], abs=0.06)
            assert [bar.share for bar in table.bars] == pytest.approx([part / load for part in loads])
            assert sum(loads) == pytest.approx(load)


def test_a_background_job_has_its_share(findings_from):
    findings = findings_from(SHARED)
    report = findings.evaluation.report
    for tables_of_link, cause in zip(parts(findings, SideTables), findings.causes, strict=True):
        total, own = report.total_load[cause.link], report.load[cause.link]
        rows = {name: (number(load), number(share)) for name, load, share in tables_of_link.tables[0].rows}
        assert tables_of_link.tables[0].caption == "By job."
        assert rows.get("Halo, 5-point", (0, 0)) == pytest.approx((own, 100 * own / total), rel=1e-3, abs=0.06)
        assert rows.get("B", (0, 0)) == pytest.approx((total - own, 100 - 100 * own / total), rel=1e-3, abs=0.06)


def test_the_number_of_limiting_links_is_shown(findings_from):
    assert parts(findings_from(HALO), Words)[0].lines == ["The job is limited by 1 link."]
    assert parts(findings_from(EVEN), Words)[0].lines == ["The job is limited by 64 links."]
    # The second link carries 0.5 % less.
    near = replace(HALO, job=Flows(4, (0, 2), (1, 3), (1.0, 0.995)), mapping=Sequential())
    assert parts(findings_from(near), Words)[0].lines == ["The job is limited by 1 link; 2 within 1 % of the hottest."]
    silent = replace(HALO, job=Halo(rows=1, cols=1, periodic=False))
    assert parts(findings_from(silent), Words)[0].lines == [NOTHING]
    assert [part.lines for part in hottest_section(findings_from(silent).evaluation.report).parts] == [[NOTHING]]


def test_swaps_that_help_have_their_gain(findings_from):
    findings = findings_from(HALO)
    (table,) = parts(findings, Table)
    best = findings.suggestions.best
    assert [row[0] for row in table.rows] == [swap.name for swap in best]
    assert number(table.rows[0][1].split()[0]) == pytest.approx(best[0].gain_gbs, rel=1e-2)
    assert not any("swap" in line for words in parts(findings, Words) for line in words.lines)
    assert parts(findings_from(EVEN), Table) == []
    assert parts(findings_from(EVEN), Words)[-1].lines[0].startswith("No")


def test_missing_findings_have_a_reason(findings_from):
    refused = replace(findings_from(HALO), causes="it would take an hour", suggestions="it would take two")
    assert [line for words in parts(refused, Words) for line in words.lines] == [
        "The job is limited by 1 link.",
        "The hottest links are not explained: it would take an hour.",
        "Swaps were not tried: it would take two.",
    ]
    assert parts(refused, SideTables) == parts(refused, Table) == []


@pytest.mark.parametrize("scenario", [HALO, SHARED], ids=["alone", "shared"])
def test_the_hottest_links_have_their_ends_loads_and_utilisations(findings_from, scenario):
    report = findings_from(scenario).evaluation.report
    (table,) = hottest_section(report).parts
    network, shared = report.case.network, scenario is SHARED
    heads = [f"{column.title} {column.unit}".strip() for column in table.columns]
    own = ["This job units"] if shared else []
    assert heads == ["Class", "From", "To", "Load units", *own, "Utilisation %", ""]
    hottest = np.sort(np.where(report.load > 0, report.utilisation, 0.0))[::-1]
    assert len(table.rows) == min(MAX_LINKS, np.count_nonzero(report.load))
    names = [network.classes[k].name for k in network.class_of.tolist()]
    ends = [list(map(network.label, end.tolist())) for end in (network.src, network.dst)]
    links = {row: link for link, row in enumerate(zip(names, *ends, strict=True))}
    for row, bar, share in zip(table.rows, table.bars, hottest, strict=False):
        link = links[row[:3]]
        assert [number(text) for text in row[3:-1]] == pytest.approx(
            [report.total_load[link], report.load[link]] if shared else [report.load[link]], rel=1e-3
        )
        assert bar.share == pytest.approx(share)
        assert number(row[-1]) == pytest.approx(100 * share, abs=0.06)


def test_one_link_alone_is_the_hottest_of_all(findings_from):
    report = findings_from(PAIR).evaluation.report
    (table,) = hottest_section(report).parts
    assert [row[3:] for row in table.rows] == [("3.000", "100"), ("1.000", "33.3")]
    assert table.caption == "The 2 hottest links of 96; 1 within 1 % of the hottest."


def test_loads_of_collectives_are_listed_by_channel(findings_from):
    findings = findings_from(preset("nccl-32-gpus"))
    for tables_of_link, cause in zip(parts(findings, SideTables), findings.causes, strict=True):
        (table,) = [table for table in tables_of_link.tables if table.caption == "By channel."]
        assert [row[0] for row in table.rows] == [f"{part.label}, all 62 steps" for part in cause.parts]
        assert sum(number(row[2]) for row in table.rows) == pytest.approx(100, abs=0.2)
