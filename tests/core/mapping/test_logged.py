"""The mapping as logged: ranks on the hosts and GPUs that a log of NCCL names."""

from dataclasses import replace

import pytest

from core.figures.notes import notes_of
from core.job import Halo, Nccl, Sequence
from core.load.compatibility import fitted
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Logged, Sequential
from core.network import FatTree, Rail, Torus
from core.routing import Minimal
from core.spec import SpecError
from tests.core.job.nccl.logs import Made, text

RANKS = 12
SERVERS = Rail(units=2, servers=2, gpus=4, spines=2, nics=4)


def scenario(folder, log, network=SERVERS, hosts="node[02,00,01,03]", **fields):
    (folder / "l").write_text(log)
    return Scenario(network, Nccl(log="l", **fields), Logged(), Minimal(), folder=folder, hosts=hosts)


def places(built):
    """Host and place on it, of each task."""
    network = built.network
    host, place = network.host_slots.place_of(built.mapping.slots)
    return [(network.host_names[h], p) for h, p in zip(host.tolist(), place.tolist(), strict=True)]


def log_of(gpu=lambda rank: rank % 4, **fields):
    """A log of 12 ranks on 3 hosts; `gpu` gives the number of a rank's GPU."""
    made, lines = Made(RANKS, 2, **fields), []
    for line in text(made, "2.12").split("\n"):
        if " [" in line:
            before, _, rest = line.partition(" [")
            rank = int(rest.partition("]")[0]) + 4 * int(before.partition(":")[0][-2:])
            line = f"{before} [{gpu(rank)}]{rest.partition(']')[2]}"
        lines.append(line)
    return "\n".join(lines)


def test_ranks_are_on_the_hosts_and_gpus_of_the_log(tmp_path):
    hosts = [f"node{rank // 4:02d}" for rank in range(RANKS)]
    built = scenario(tmp_path, text(Made(RANKS, 2), "2.12")).build()
    assert places(built) == [(host, rank % 4) for rank, host in enumerate(hosts)]
    built = scenario(tmp_path, log_of(lambda rank: 3 - rank % 4)).build()
    assert places(built) == [(host, 3 - rank % 4) for rank, host in enumerate(hosts)]


def test_ranks_that_all_use_gpu_0_of_their_own_are_in_order(tmp_path):
    built = scenario(tmp_path, log_of(lambda rank: 0)).build()
    assert [place for _, place in places(built)] == [0, 1, 2, 3] * 3


def test_a_domain_in_the_names_of_the_network_does_not_matter(tmp_path):
    built = scenario(tmp_path, text(Made(RANKS, 2), "2.12"), hosts="node[00-03].cluster").build()
    assert places(built)[4] == ("node01.cluster", 0)


def test_nics_as_tasks_are_on_their_hosts(tmp_path):
    network = Rail(units=2, servers=2, gpus=2, spines=2, nics=2)
    log = text(Made(RANKS, 2), "2.12")
    built = scenario(tmp_path, log, network, endpoints="nics").build()
    assert places(built) == [(f"node{host:02d}", nic) for host in range(3) for nic in range(2)]


@pytest.mark.parametrize(
    ("hosts", "message"),
    [
        (None, "is logged, but the network has no host node00, which the log names; name its hosts as the log"),
        ("a[1-4]", "is logged, but the network has no host node00, which the log names; name its hosts as the log"),
        ("node[00-02]x,b", "is logged, but the network has no host node00, which the log names"),
    ],
)
def test_hosts_that_the_network_does_not_have_are_named(tmp_path, hosts, message):
    with pytest.raises(SpecError) as error:
        scenario(tmp_path, text(Made(RANKS, 2), "2.12"), hosts=hosts).build()
    assert str(error.value).startswith(f"mapping.type: {message}")


def test_the_names_to_give_are_spelled_out_if_the_numbers_of_hosts_agree(tmp_path):
    wrong = scenario(tmp_path, text(Made(16, 2), "2.12"), hosts=None)
    remedy = "the network has no host node00, which the log names; name its hosts node[00-03] (hosts)"
    with pytest.raises(SpecError, match=r"is logged, but ") as error:
        wrong.build()
    assert str(error.value).endswith(remedy)
    placed = replace(wrong, mapping=Sequential())
    assert f"ranks are not placed as in the log: {remedy}" in notes_of(evaluate(placed.build()))
    named = replace(placed, hosts="node[00-03]")
    assert not any("placed as in the log" in note or "are not on" in note for note in notes_of(evaluate(named.build())))


def test_ranks_elsewhere_than_in_the_log_are_noted(tmp_path):
    placed = replace(scenario(tmp_path, text(Made(RANKS, 2), "2.12")), mapping=Sequential())
    words = "12 of 12 ranks are not on their hosts in the log; the mapping logged places them there"
    assert words in notes_of(evaluate(placed.build()))


def test_a_full_host_is_named(tmp_path):
    small = scenario(
        tmp_path, text(Made(RANKS, 2), "2.12"), Rail(units=3, servers=2, gpus=2, nics=2), hosts="node[00-05]"
    )
    with pytest.raises(SpecError, match=r"the log has 4 ranks on node00, which has 2 slots; choose a network with"):
        small.build()


def test_other_jobs_are_refused(tmp_path):
    for job in (Halo(2, 4), Nccl(log="bare")):
        (tmp_path / "bare").write_text(text(Made(8, 2), "bare"))
        with pytest.raises(SpecError, match=r"^mapping.type: is logged, but no log names the hosts of this job; try"):
            Scenario(Torus(dims=(8,)), job, Logged(), Minimal(), folder=tmp_path).build()


def test_a_network_without_the_hosts_gets_the_sequential_mapping(tmp_path):
    unnamed = scenario(tmp_path, text(Made(RANKS, 2), "2.12"), hosts=None)
    assert fitted(replace(unnamed, network=FatTree(arity=4, levels=2))).mapping == Sequential()


def test_a_sequence_is_placed_as_its_log_says(tmp_path):
    single = scenario(tmp_path, text(Made(RANKS, 2), "2.12"))
    both = replace(single, job=Sequence(parts=(single.job, Nccl(log="l", algorithm="tree"))))
    assert places(both.build()) == places(single.build())


def test_the_textbook_algorithm_runs_in_the_same_places(tmp_path):
    logged = scenario(tmp_path, text(Made(RANKS, 2), "2.12"))
    assert places(logged.with_textbook_job().build()) == places(logged.build())
