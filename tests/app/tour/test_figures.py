import numpy as np
import pytest

from app.session.evaluation import evaluate_scenario
from app.storage.presets import preset
from app.tour.expression import caption, figures_in, parsed, value_of
from app.tour.figures import Figures, is_of_failures, is_timed
from core.figures.resilience import components, resilience
from core.files import decode
from core.job import Flows, Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import Minimal
from core.spec import SpecError, no_progress
from core.timing import detailed_timeline


@pytest.fixture(scope="module")
def figures() -> Figures:
    evaluation = evaluate_scenario(preset("power775-halo"), None, no_progress)
    return Figures(evaluation, detailed_timeline(evaluation.case), 0)


def test_figures_are_those_of_the_report(figures):
    report = figures.evaluation.report
    assert figures["throughput_gbs"] == report.throughput_gbs == 64
    assert figures["bottleneck"] == "LR"
    assert figures["hottest_links"] == np.count_nonzero(np.isclose(report.utilisation, 1))
    assert figures["idle_links"] == np.count_nonzero(report.load == 0)
    assert figures["idle_percent"] == pytest.approx(100 * np.mean(report.load == 0))
    assert figures["mean_percent"] == pytest.approx(100 * report.utilisation.mean())
    assert figures["LR_percent"] == pytest.approx(100)
    assert figures["D_percent"] == pytest.approx(80)
    assert figures["bound_gbs"] > 64
    assert figures["percent_of_bound"] == pytest.approx(6400 / figures["bound_gbs"])
    assert figures["step_messages"] == figures["messages"] > 0


def test_each_name_has_a_value(figures):
    # PERCS has no rounds, its hosts have a single NIC, its routing proves no bound, nothing is faulty or cut, and the
    # job is alone. The scenario has no counters, and its failures are not evaluated.
    unknown = {name for name in figures.names if not has_value(figures, name)}
    counted = {name for name in figures.names if name.startswith("measured.")}
    assert "measured.slow[N].measured_gbs" in counted
    failing = {name for name in figures.names if name.startswith("resilience.")}
    assert "resilience.worst.throughput_gbs" in failing
    assert counted | failing <= unknown
    unknown -= counted | failing
    assert {name.rpartition(".")[2] for name in unknown} == {
        "rounds", "routing_bound_gbs", "cut_flows", "cut_volume", "unit", "own_load", "own_utilisation", "slows",
        "level", "hosts", "faulty", "max_rounds", "mean_rounds", "max_mean_load", "mean_hops",
    }  # fmt: skip
    with pytest.raises(SpecError, match="rounds is not available here"):
        figures["rounds"]


def has_value(figures, name):
    try:
        return isinstance(figures[name.replace("[N]", "[0]")], int | float | str)
    except SpecError as error:
        return "is not available here" not in error.message


@pytest.mark.parametrize(
    ("old", "name", "factor"),
    [
        ("time_ms", "time_per_unit", 1e3), ("total_ms", "timeline.seconds", 1e3), ("step_ms", "shown.seconds", 1e3),
        ("mean_distance", "metrics.aspl", 1), ("diameter", "metrics.diameter", 1),
        ("LR_gbs", "classes.LR.throughput_gbs", 1),
        ("D_max_load", "classes.D.max_load", 1), ("D_mean_load", "classes.D.mean_load", 1), ("step", "shown.number", 1),
        ("D_percent", "classes.D.percent", 1), ("D_mean_percent", "classes.D.mean_percent", 1),
        ("steps", "timeline.played_steps", 1), ("step_name", "shown.name", 1), ("step_messages", "shown.messages", 1),
    ],
)  # fmt: skip
def test_old_names_are_aliases_of_paths(figures, old, name, factor):
    assert figures[old] == (figures[name] if factor == 1 else factor * figures[name])
    assert old in figures.names


def test_failures_are_available_once_they_are_evaluated():
    scenario = Scenario(Torus((4,)), Halo(2, 2), Sequential(), Minimal())
    evaluation = evaluate_scenario(scenario, None, no_progress)
    figures = resilience(evaluation.report, "cables", components(evaluation.case.network, "cables"))
    evaluated = Figures(evaluation, failures=figures)
    assert (evaluated["resilience.slower"], evaluated["resilience.failures"]) == (figures.slower, 4)
    assert evaluated["resilience.rows[0].throughput_gbs"] == figures.rows[0].throughput_gbs
    assert is_of_failures("resilience.slower")
    assert not is_of_failures("throughput_gbs")
    with pytest.raises(SpecError, match=r"resilience\.slower is not available here"):
        Figures(evaluation)["resilience.slower"]


@pytest.mark.parametrize("routing", ["dimension-order", "congestion-aware"])
def test_hops_and_routing_bound_are_available(routing):
    spec = (
        '{"fabriscope": 1, "network": {"type": "torus", "dims": [4]}, "mapping": {"type": "sequential"},'
        ' "job": {"type": "all-to-all", "tasks": 4}, "routing": {"type": "%s"}}'
    )
    figures = Figures(evaluate_scenario(decode((spec % routing).encode()), None, no_progress))
    if routing == "congestion-aware":
        assert 0.98 <= figures["throughput_gbs"] / figures["routing_bound_gbs"] <= 1
        return
    # From each of 4 nodes to two next to it, and to the opposite one.
    assert (figures["hops"], figures["mean_hops"]) == (4 * (1 + 2 + 1), 4 / 3)
    with pytest.raises(SpecError, match="routing_bound_gbs is not available here"):
        figures["routing_bound_gbs"]


def test_routing_bound_adds_up_phases_with_and_without_planned_flows():
    # Two tasks per node: the first phase stays within node 0, the second crosses one link, the third equals the first.
    within, across = (
        f'{{"type": "flows", "tasks": 4, "src": [0], "dst": [{target}], "volume": [10]}}' for target in (1, 2)
    )
    spec = (
        '{"fabriscope": 1, "network": {"type": "mesh", "dims": [2], "gbs": 1, "slots_per_node": 2},'
        ' "mapping": {"type": "sequential"}, "routing": {"type": "%s"},'
        f' "job": {{"type": "sequence", "parts": [{within}, {across}, {within}], "repeat": 2}}}}'
    )
    for routing in ("congestion-aware", "ugal"):
        figures = Figures(evaluate_scenario(decode((spec % routing).encode()), None, no_progress))
        # The plans end within their tolerance of 2 %.
        assert 0.98 <= figures["throughput_gbs"] / figures["routing_bound_gbs"] <= 1


def test_unknown_name_is_refused_with_a_suggestion(figures):
    with pytest.raises(SpecError, match="did you mean throughput_gbs"):
        figures["throughput_gb"]


def test_captions_of_old_tours_keep_their_meaning(figures):
    assert figures["bottleneck"] == figures["limiting"]
    assert figures["messages"] == figures["timeline.played_messages"] == sum(s.messages for s in figures.timeline.steps)
    assert is_timed("messages")
    assert not is_timed("bottleneck")


def test_captions_accept_paths(figures):
    text = "{classes.LR.max_load / pair.classes.LL.gbs} {timeline.steps[0].seconds} {pair.throughput_gbs} {step}"
    assert figures_in(text) == {
        (None, "classes.LR.max_load"), ("pair", "classes.LL.gbs"), (None, "timeline.steps[0].seconds"),
        ("pair", "throughput_gbs"), (None, "step"),
    }  # fmt: skip
    shown, errors, _ = caption(text, lambda scene, name: figures[name])
    assert not errors
    assert shown.endswith(" 64 1")
    assert caption("{classes.Q.percent}", lambda scene, name: figures[name]).errors[0].startswith("no such figure")
    assert "optimise.start_gbs" in caption("{optimise.start_gbs}", lambda scene, name: figures[name]).errors[0]


def test_captions_accept_figures_by_name_and_format():
    figures = {(None, "a"): 1234.5, (None, "n"): 1234567, ("blocks", "a"): 2.0, (None, "who"): "LR"}
    text = "**{a}** of {n}, {a / blocks.a:.1f} times, {-(a + 1) * 2:,.0f}: {who} {n:,d}"
    assert caption(text, lambda scene, name: figures[scene, name]).text == (
        "**1,234** of 1,234,567, 617.2 times, -2,471: LR 1,234,567"
    )
    assert figures_in(text) == set(figures)
    assert caption("{a / (n - n)}", lambda scene, name: figures[scene, name]).text.startswith("⚠ ")


WRONG = {
    "{a:d}": "the format 'd' does not fit a fraction; use .0f",
    "{" + "9" * 400 + ":.2f}": "the format '.2f' does not fit so large a number",
    "{" + "9" * 400 + "}": None,
    "{1e999}": None,
    "{1e999:d}": "the format 'd' does not fit a fraction",
    "{" + "9" * 400 + " * 1.0}": "cannot be computed",
    "{'a' * 9999999999}": "'a' is text, which can only be compared",
    "{9999999999 * 'a'}": "'a' is text",
    "{'a' + 'b'}": "'a' is text",
    "{who + who}": "'LR' is text",
    "{-who}": "'LR' is text",
    "{" + "-" * 400 + "1}": None,
    "{" + "-" * 600 + "1}": "cannot be computed; use figures by name",
    "{a / (n - n)}": "cannot be computed",
    "{through}": "no such figure: 'through'",
    "{open('x')}": "\"open('x')\" cannot be computed; use figures by name",
    "{n:x}": "'x' is not a number format",
    "a { alone": "unmatched { or }",
    "a } alone": "unmatched { or }",
    "{{n}}": "unmatched { or }",
    "x" * 30_000: "the caption has 30,000 characters; the maximum is 2,000",
    "{n:,d}{'a'}{who == 'LR'}": None,
}
"""Captions with the error of each, or None."""


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:30])
def test_every_caption_is_shown_and_its_errors_are_returned(text):
    figures = {(None, "a"): 1234.5, (None, "n"): 1234567, (None, "who"): "LR"}

    def look(scene, name):
        if (scene, name) not in figures:
            raise SpecError("figures", f"no such figure: {name!r}")
        return figures[scene, name]

    shown, errors, wrong = caption(text, look)
    assert bool(wrong) == (WRONG[text] is not None and not text.startswith("xxx"))
    assert all(0 <= begin < end <= len(text) for begin, end in wrong)
    figures_in(text)
    assert len(shown) < 3000
    assert len(errors) == (WRONG[text] is not None)
    assert all(WRONG[text] in error and len(error) < 400 and "\n" not in error for error in errors)


def test_texts_in_claims_can_only_be_compared():
    claims = {"who == 'LR'": True, "who != 'D'": True, "'a' * 9999999999 == 1": None, "'a' + who == 'aLR'": None}
    for claim, holds in claims.items():
        if holds is None:
            with pytest.raises(SpecError, match="'a' is text, which can only be compared"):
                value_of(parsed(claim, "claims"), lambda scene, name: "LR")
        else:
            assert value_of(parsed(claim, "claims"), lambda scene, name: "LR") is holds


@pytest.mark.parametrize(("claim", "holds"), [("a > 2 * b", False), ("a >= 2 * b", True), ("1 < b < a != 5", True)])
def test_claims_are_comparisons(claim, holds):
    assert value_of(parsed(claim, "claims"), lambda scene, name: {"a": 4, "b": 2}[name]) is holds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "f(1)",
        "f(1).b",
        "[1]",
        "a[b]",
        "a[-1]",
        "a[True]",
        "1[0]",
        "a[0:1]",
        "a if b else c",
        "lambda: 1",
        "a ** 9",
        "'%s' % a",
        "True",
        "1" * 600,
    ],
)
def test_other_expressions_are_refused(text):
    with pytest.raises(SpecError, match="cannot be computed; use figures by name"):
        parsed(text, "text")


def test_timed_figures_are_recognised():
    assert is_timed("total_ms")
    assert not is_timed("throughput_gbs")
    assert not is_timed("LR_percent")


@pytest.mark.parametrize(("unit", "has_time"), [("messages", False), ("MB", True)])
def test_message_counts_have_no_time(unit, has_time):
    job = Flows(tasks=16, src=(0,), dst=(5,), volume=(30.0,), unit=unit)
    evaluation = evaluate_scenario(Scenario(Torus((4, 4)), job, Sequential(), Minimal()), None, no_progress)
    figures = Figures(evaluation, detailed_timeline(evaluation.case), 0)
    for name in ("time_ms", "total_ms", "step_ms"):
        if has_time:
            assert figures[name] > 0
        else:
            with pytest.raises(SpecError, match=f"{name} is not available here"):
                figures[name]
