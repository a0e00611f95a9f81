"""Reports of scenarios: complete pages that request nothing, with the figures of the evaluation."""

from contextlib import suppress
from dataclasses import replace

import pytest

from app.report import drawings
from app.report.comparison import Rival
from app.report.evaluation_report import Subject
from app.report.reproduction import Reproduction
from app.report.throughput_history import SessionSteps
from app.session.evaluation import evaluate_scenario
from app.session.session import Session
from app.storage.presets import preset
from app.wording.numbers import gbs
from core.job import AllToAll, Flows, Halo, Permutation, RandomTraffic, Sequence
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Clex, Mesh
from core.network.faults import LinkFault
from core.routing import DimensionOrder
from core.spec import SpecError, no_progress
from core.text import figure
from tests.core.everywhere import FAMILIES, ROUTINGS

SMALL = Scenario(Mesh(dims=(3, 4), gbs=2.0), Halo(rows=3, cols=4, periodic=False), Sequential(), DimensionOrder())
ONE_EACH = dict(reversed(FAMILIES))
BESIDE = Neighbour(name="B", job=AllToAll(tasks=4), mapping=Random(), allocation="8-11")
ROUNDS = replace(
    preset("clex-rounds"), network=Clex(k=2, levels=3), job=RandomTraffic(tasks=8, messages=8, draw="permutation")
)
REPRODUCTION = Reproduction("c", SMALL)
SECTIONS = ["scenario", "figures", "bottleneck", "hottest", "timeline", "pictures", "assumed", "reproduce"]


def first_routing(network):
    """The first routing that fits a network."""
    for routing in ROUTINGS:
        with suppress(SpecError):
            routing.router(network)
            break
    return routing


@pytest.mark.parametrize("family", ONE_EACH, ids=lambda family: family.tag())
def test_every_family_has_a_self_contained_report(family, report_of):
    network = family(**ONE_EACH[family])
    built = network.build()
    job = Permutation(tasks=built.slots, seed=3)
    page, evaluation = report_of(Scenario(network, job, Random(1), first_routing(built)))
    report = evaluation.report
    assert page.outside == []
    assert "script" not in page.tags
    assert [name for name in page.ids if name in SECTIONS] == SECTIONS
    assert len(set(page.ids)) == len(page.ids)
    assert f"{gbs(report.throughput_gbs)} GB/s per node" in page.text
    rows = page.table("Class", "Links", "Bandwidth GB/s per direction")
    assert [row[:2] for row in rows] == [[c.name, f"{c.links:,}"] for c in report.classes]
    assert [row[3] for row in rows] == [figure(c.max_load, 5) for c in report.classes]
    hottest = page.table("Class", "From", "To")
    network, link = report.case.network, int(report.hottest(1)[0])
    assert hottest[0][1:3] == list(network.link_ends(link))
    if evaluation.bounds:
        assert f"Upper bound {gbs(report.throughput(evaluation.bounds[0].time))} GB/s per node" in page.text
    assert page.tags.count("svg") >= 6


def test_the_machine_is_drawn_in_both_themes_with_distinct_ids(report_of):
    page, _ = report_of(SMALL)
    lines = [name for name in page.ids if "gradient" in name]
    assert {name.rpartition("-")[0] for name in lines} >= {"machine-light", "machine-dark"}


def test_pictures_with_too_many_lines_are_drawn_in_pixels(report_of, monkeypatch):
    monkeypatch.setattr(drawings, "MAX_SVG_BYTES", 10_000)  # the picture of the machine alone has more
    page, _ = report_of(SMALL)
    assert any(address.startswith("data:image/png;base64,") for address in page.asked)
    assert drawings.PIXELS in page.text


def test_names_and_notes_are_escaped(report_of):
    evil = "<script>alert(1)</script><img src=http://example.org/x>"
    page, _ = report_of(replace(SMALL, note=evil), Subject(evil, Reproduction(f"fabriscope report '{evil}'", SMALL)))
    assert "script" not in page.tags
    assert page.outside == []
    assert page.text.count(evil) >= 3


def test_a_reader_finds_the_command_and_the_scenario(report_of):
    page, _ = report_of(SMALL, Subject("x", Reproduction("fabriscope report x.json --out r.html", SMALL, inside=True)))
    assert "fabriscope report x.json --out r.html" in page.text
    assert '"fabriscope":1' in page.text.replace(" ", "")
    assert "Save the scenario below as scenario.fabriscope.json" in page.text


def test_a_and_b_are_compared(report_of):
    other = evaluate_scenario(replace(SMALL, mapping=Random(5)), None, no_progress)
    page, evaluation = report_of(
        SMALL, Subject("x", REPRODUCTION, rivals=[Rival("other", other), Rival("third", other)])
    )
    assert f"{gbs(other.report.throughput_gbs)} → {gbs(evaluation.report.throughput_gbs)} GB/s per node" in page.text
    rows = page.table("Class", "Largest load, A units")
    assert float(rows[0][1]) == pytest.approx(other.report.classes[0].max_load, rel=1e-3)
    assert "third" in page.text
    assert "B − A" in page.text
    assert any(name.startswith("difference-dark") for name in page.ids)


def test_different_networks_are_compared_by_class(report_of):
    other = evaluate_scenario(replace(SMALL, network=Mesh(dims=(4, 3), gbs=2.0)), None, no_progress)
    page, _ = report_of(SMALL, Subject("x", REPRODUCTION, rivals=[Rival("other", other)]))
    assert "single links cannot be compared" in page.text


def test_the_history_has_the_steps_of_the_session(report_of):
    session = Session.of(SMALL, sync=True)
    session.choose("mapping", Random(2))
    session.choose("mapping", Random(4))
    steps = SessionSteps.of(session.state.history)
    session.editing.undo()
    page, _ = report_of(SMALL, Subject("x", REPRODUCTION, steps=steps))
    rows = page.table("Step", "Change")
    assert [row[0] for row in rows] == [str(k) for k in range(len(steps.states))]
    assert [row[2] for row in rows] == [gbs(state.gbs) for state in steps.states]
    session.close()


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (replace(SMALL, faults=(LinkFault(src=0, dst=1),)), "2 links failed"),
        (replace(SMALL, job=Flows(3, (0, 1), (0, 1), (1.0, 2.0))), "No link carries anything."),
        (replace(SMALL, job=Sequence(parts=(SMALL.job,) * 41)), "First 40 of 41 steps"),
        (
            replace(SMALL, job=Halo(rows=2, cols=3), allocation="0-5", neighbours=(BESIDE,)),
            "Jobs on the machine. This report is on the first job.",
        ),
        (ROUNDS, "In each round, a link carries one message."),
        (replace(SMALL, job=AllToAll(tasks=12), timing=None), "A unit is taken as 1 GB."),
    ],
)
def test_rare_cases_are_reported(scenario, words, report_of):
    page, _ = report_of(scenario)
    assert words in page.text
    assert page.outside == []


def test_every_picture_can_be_enlarged_and_closed(report_of):
    page, _ = report_of(SMALL)
    places = [name.removeprefix("picture-") for name in page.ids if name.startswith("picture-")]
    assert "machine" in places
    for place in places:
        assert page.asked.count(f"#picture-{place}") == 1
        assert page.asked.count(f"#below-{place}") == 1
        assert f"below-{place}" in page.ids


def test_a_title_is_the_first_line_of_the_note_if_it_is_short(report_of):
    lines = "Two blocks\nLeft and right."
    assert report_of(replace(SMALL, note=lines))[0].text.startswith("Two blocks ")
    assert "Two blocks" not in report_of(replace(SMALL, note="x" * 100))[0].text
