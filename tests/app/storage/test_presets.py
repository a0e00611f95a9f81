"""The presets: titles are well formed, each can be evaluated and timed, and skeletons send the noted volumes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import resources
from app.storage.presets import preset, preset_group, preset_names, preset_title
from core.load.evaluate import evaluate
from core.load.job_reports import job_reports
from core.mapping import Sequential
from core.routing import GroupMinimal, Valiant
from core.timing import timeline
from tests.core.job.nccl import servers
from tests.core.network.formats.topologies import with_nvswitch

PAIRS = 64 * 63
SKELETONS = {
    # Repeats, then messages and bytes of one repeat: class A on 64 tasks, from the sizes of the grids alone.
    "ft": (6, PAIRS + 64 * 6, PAIRS * 16 * 256 * 256 * 128 / 64**2 + 64 * 6 * 16),
    "is": (10, 2 * PAIRS + 64 * 6, PAIRS * (4 + 4 * 2**23 / 64**2) + 64 * 6 * 4 * (1024 + 5)),
    "mg": (4, 11 * 256, 256 * sum(8 * side**2 / 8 for side in (256, 128, 64, 32, 16, 8, 16, 32, 64, 128, 256))),
    "lu": (10, 2 * 112 + 224, 2 * 112 * 62 * 5 * 8 * 8 + 224 * 2 * 5 * 8 * 8 * 64),
    "cg": (25, 9 * 64 + 56, (3 * 64 + 56) * 8 * 14_000 / 8 + 6 * 64 * 8),
}


@pytest.mark.parametrize("name", [name for name in preset_names() if name.startswith("nas-")])
def test_skeleton_sends_the_messages_of_the_benchmark(name):
    scenario = preset(name)
    _, kernel, _ = name.split("-")
    assert scenario.note.startswith(f"Skeleton of NAS {kernel.upper()}, class A")
    assert "Omitted: " in scenario.note
    assert "Source: Bailey et al., The NAS Parallel Benchmarks, 1994" in scenario.note
    repeats, messages, sent = SKELETONS[kernel]
    job = scenario.build().job
    assert job.repeats == repeats
    assert sum(run.phase.messages() for run in job.runs) == messages
    away = [b.volume[b.src != b.dst].sum() for run in job.runs for _, b in run.phase.blocks()]
    assert 1e9 * sum(away) == pytest.approx(sent)
    times = timeline(scenario.build())
    assert (times.messages, len(times.steps)) == (repeats * messages, len(job.phases))


@pytest.mark.parametrize("name", [name for name in preset_names() if not name.startswith(("power775", "circulant"))])
def test_a_preset_takes_its_time(name):
    case = preset(name).build()
    times = timeline(case)
    assert times.seconds > 0
    assert times.seconds >= evaluate(case).time * (1 - 1e-9)


def test_files_of_presets_on_gpu_servers_are_made_up():
    """The topology file is written by `with_nvswitch`, the log by `servers.text`."""
    fabrics = Path(resources.__file__).parent / "fabrics"
    assert (fabrics / "gpu-servers-64" / "topology.xml").read_text() == with_nvswitch()
    assert (fabrics / "gpu-servers-64" / "nccl.log").read_text() == servers.text(servers.OnServers())
    alternating = servers.OnServers(hosts=servers.ALTERNATING)
    assert (fabrics / "alternating-hosts-64" / "nccl.log").read_text() == servers.text(alternating)


def max_loads(report):
    return {load.name: load.max_load for load in report.classes}


def test_rings_on_gpu_servers_use_all_nics_alike_and_lose_by_an_alternating_order_of_hosts():
    # Every GPU sends 1 GB / 8 channels / 64 ranks in each of 2 x 63 steps of each ring.
    on_rails = evaluate(preset("gpu-servers-64-gpus").build())
    assert max_loads(on_rails)["net"] == pytest.approx(2 * 63 / 64 / 8)
    # In each unit 4 GPUs of a rail share 2 links to spines; alternating hosts send everything through these.
    alternating = preset("nccl-64-gpus-alternating-hosts")
    report = evaluate(alternating.build())
    assert max_loads(report)["spine"] == pytest.approx(2 * 2 * 63 / 64 / 8)
    assert evaluate(replace(alternating, mapping=Sequential()).build()).time < 0.65 * report.time


def test_titles_of_presets_have_commas_and_capitals():
    titles = [preset_title(name) for name in preset_names()]
    assert {
        "Power 775 all-to-all",
        "CLEX 4 × 4 × 4",
        "Torus 16 × 16 transpose",
        "Dragonfly, 1,056 nodes",
        "Training, 1,024 GPUs",
        "GPU servers, 64 GPUs",
        "NCCL, 64 GPUs, alternating hosts",
    } <= set(titles)
    assert len(set(titles)) == len(titles)
    assert preset_title("nas-ft-skeleton") == "NAS FT skeleton"


def test_optimal_mappings_are_a_group_in_order_of_supernodes():
    names = [name for name in preset_names() if preset_group(name) == "Optimal halo mappings"]
    assert preset_title(names[0]) == "Power 775 optimal halo, 16 supernodes, 1 D link"
    sizes = [(preset(name).network.supernodes, preset(name).network.d_links) for name in names]
    assert sizes == sorted(sizes)
    assert len(sizes) >= 6
    assert preset_group("power775-halo") == ""


@pytest.mark.parametrize("name", preset_names())
def test_groups_that_direct_links_join_are_routed_over_at_most_one(name):
    scenario = preset(name)
    if scenario.network.groups_joined:
        assert isinstance(scenario.routing, GroupMinimal)


def test_minimal_routing_leaves_most_global_links_idle_and_valiant_uses_all():
    # As in the note of the preset.
    scenario = preset("dragonfly-1056-nodes")
    for routing, used in ((scenario.routing, 132), (Valiant(), 1056)):
        report = evaluate(replace(scenario, routing=routing).build())
        links = report.load[report.case.network.link_class("global").links]
        assert (np.count_nonzero(links), links.size) == (used, 1056)


def test_compact_jobs_on_a_dragonfly_do_not_interfere_and_scattered_jobs_do():
    compact, scattered = (
        [job_report.slowdown for _, job_report in job_reports(evaluate(preset(f"dragonfly-two-jobs-{how}").build()))]
        for how in ("compact", "scattered")
    )
    assert compact == [1, 1]
    assert scattered == pytest.approx([1.5, 16 / 11])
