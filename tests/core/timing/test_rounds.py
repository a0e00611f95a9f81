"""CLEX's rounds as a timing: the duration of a step, where it applies, and the output of the command."""

import json

import numpy as np
import pytest

from app.cli.main import main
from core.files import write_scenario
from core.job import Allreduce, AllToAll, Flows, RandomTraffic
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Clex, Complete, LinkFault
from core.routing import ClexRouting, Minimal
from core.spec import SpecError, TooLarge
from core.timing import BarrierTiming, Rounds, timeline
from core.timing import rounds as module
from core.timing.clex_rounds import Algorithm, by_clique, rounds_of


def scenario(job, timing=None, network=None, mapping=None, routing=None, **more):
    choices = network or Clex(k=4, levels=2), job, mapping or Sequential(), routing or ClexRouting()
    return Scenario(*choices, timing=timing or Rounds(), **more)


def test_a_round_lasts_a_latency_and_the_largest_message():
    job = Flows(tasks=16, src=(0, 1, 5), dst=(6, 9, 4), volume=(2.0, 5.0, 1.0))
    times = timeline(scenario(job, Rounds(hop_seconds=0.5), Clex(k=4, levels=2, gbs=2.0)).build())
    # To a gate, over a link, and on: no two messages meet.
    assert times.rounds.rounds == 3
    assert times.seconds == 0.5 * (3 + 1) + 3 * 5.0 / 2.0
    assert [(level.max_rounds, level.mean_rounds, level.mean_hops) for level in times.rounds.levels] == [
        (1, 2, 2),
        (1, 1, 1),
    ]


def test_steps_follow_each_other_and_their_rounds_add_up():
    job = Allreduce(tasks=16, algorithm="recursive-doubling", message_bytes=1e9)
    case = scenario(job, Rounds(seed=3), mapping=Random(1)).build()
    times, barrier = timeline(case), BarrierTiming().timeline(case)
    ends = [step.start + step.seconds for step in times.steps]
    assert [step.start for step in times.steps] == pytest.approx([0.0, *ends[:-1]])
    assert len(times.steps) == 4
    assert times.seconds == pytest.approx(times.rounds.rounds / 12.5)
    # Links carry the loads that the routing expects, for any random draws.
    np.testing.assert_array_equal(times.load, barrier.load)


def test_progress_rises_over_all_steps():
    heard = []
    timeline(scenario(Allreduce(tasks=16, algorithm="recursive-doubling", message_bytes=1e9)).build(), heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


def test_messages_inside_a_node_take_no_rounds():
    job = Flows(tasks=32, src=(0, 2), dst=(1, 3), volume=(1.0, 1.0))
    times = timeline(scenario(job, Rounds(hop_seconds=0.5), Clex(k=4, levels=2, slots_per_node=2)).build())
    assert (times.rounds.rounds, times.seconds) == (0, 0.5)


def test_all_to_all_sends_a_message_between_every_two_nodes():
    times = timeline(scenario(AllToAll(tasks=16)).build())
    assert times.rounds.arrived == 16 * 15
    assert times.rounds.levels[1].mean_hops == 1


def test_a_folded_network_has_the_same_nodes(monkeypatch):
    job = RandomTraffic(tasks=128, messages=3, draw="permutation", seed=1)
    network = Clex(k=4, levels=3, slots_per_node=2)
    unfolded = timeline(scenario(job, network=network).build())
    monkeypatch.setattr("core.network.families.clex.MAX_LINKS", 100)
    monkeypatch.setattr("core.network.network.MAX_LINKS", 10**6)
    folded = scenario(job, network=network).build()
    assert folded.network.aggregation == 4
    assert timeline(folded).rounds == unfolded.rounds


def test_fat_links_are_simulated_too():
    job = RandomTraffic(tasks=64, messages=3, draw="permutation", seed=1)
    case = scenario(job, Rounds(copies=3, ask_first=False, seed=2), Clex(k=4, levels=3, fat_links=True)).build()
    targets = np.concatenate([block.dst for _, block in case.job.phases[0].blocks()])
    sources = np.repeat(np.arange(64, dtype=np.int32), 3)
    away = sources != targets
    algorithm = Algorithm(4, 3, 3, False, True, 2)
    assert timeline(case).rounds == rounds_of(algorithm, by_clique(algorithm, sources[away], targets[away]))


@pytest.mark.parametrize(
    ("more", "field", "words"),
    [
        ({"network": Complete(nodes=16), "routing": Minimal()}, "timing.type", "a CLEX network with recursive routing"),
        ({"routing": Minimal()}, "timing.type", "choose a CLEX network with recursive routing"),
        ({"routing": ClexRouting("ordered")}, "timing.type", "recursive routing, or barrier"),
        ({"faults": (LinkFault(0, 1),)}, "timing.type", "does not support faults"),
        ({"timing": Rounds(injection_gbs=1.0)}, "timing.injection_gbs", "remove this limit"),
    ],
)
def test_unsupported_cases_are_refused_in_one_line(more, field, words):
    case = scenario(AllToAll(tasks=16), **more).build()
    with pytest.raises(SpecError, match=words) as refused:
        timeline(case)
    assert refused.value.field == field


def test_more_messages_than_fit_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_MESSAGES", 100)
    with pytest.raises(TooLarge, match="at most 100 per step"):
        timeline(scenario(AllToAll(tasks=16)).build())


def test_the_command_prints_rounds_and_levels(tmp_path, capsys):
    job = RandomTraffic(tasks=64, messages=3, draw="permutation", seed=1)
    file = tmp_path / "rounds.fabriscope.json"
    wanted = scenario(job, Rounds(copies=2, seed=1), Clex(k=4, levels=3))
    write_scenario(file, wanted)
    assert main(["timeline", str(file), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    played = timeline(wanted.build()).rounds
    assert printed["rounds"] == played.rounds
    assert [level["level"] for level in printed["levels"]] == [1, 2, 3]
    assert set(printed["levels"][0]) == {"level", "max_rounds", "mean_rounds", "max_mean_load", "mean_hops"}
    assert main(["timeline", str(file)]) == 0
    printed_text = capsys.readouterr().out
    assert f"{played.rounds} rounds" in printed_text
    assert "mean load" in printed_text
    write_scenario(file, scenario(job, BarrierTiming(), Clex(k=4, levels=3)))
    assert main(["timeline", str(file), "--json"]) == 0
    assert not {"rounds", "levels"} & set(json.loads(capsys.readouterr().out))
