"""Findings of a report: explained links, and slowdowns of jobs, on machines small enough to compute by hand."""

from app.report.findings import findings_of, worth_explaining
from app.session.evaluation import evaluate_scenario
from core.job import Flows, Permutation
from core.load.evaluate import evaluate
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Mesh, Torus
from core.routing import DimensionOrder
from core.spec import no_progress

RING = Torus(dims=(8,), gbs=1.0)
PAIR = Permutation(tasks=2, targets=(1, 0))


def beside(name, allocation, job=PAIR):
    return Neighbour(name=name, job=job, mapping=Sequential(), allocation=allocation)


def sends(volume):
    return Flows(tasks=2, src=(0,), dst=(1,), volume=(volume,), unit="GB")


def test_each_background_job_slows_the_first_job_as_it_would_alone():
    # The first job and B both send from 1 to 2 and back; C uses other links.
    others = (beside("B", "1,3"), beside("C", "4,5"))
    scenario = Scenario(RING, PAIR, Sequential(), DimensionOrder(), allocation="0,2", neighbours=others)
    jobs = findings_of(evaluate_scenario(scenario, None, no_progress)).jobs
    assert [(job.name, job.slows) for job in jobs] == [("Permutation", None), ("B", 2), ("C", 1)]


def test_only_links_that_the_job_loads_are_explained():
    others = (beside("B", "4,5", sends(50.0)),)
    report = evaluate(Scenario(RING, sends(1.0), Sequential(), DimensionOrder(), neighbours=others).build())
    assert [report.case.network.src[link] for link in worth_explaining(report)] == [0]


def test_one_link_of_each_loaded_class_is_explained_the_hottest_first():
    for volumes, ends in (((1.0, 3.0), [(0, 1), (0, 3)]), ((3.0, 1.0), [(0, 3), (0, 1)]), ((0.0, 1.0), [(0, 1)])):
        job = Flows(tasks=9, src=(0, 0), dst=(3, 1), volume=volumes, unit="GB")
        network = Mesh(dims=(3, 3), gbs=1.0)
        report = evaluate(Scenario(network, job, Sequential(), DimensionOrder()).build())
        links = worth_explaining(report)
        assert [(report.case.network.src[link], report.case.network.dst[link]) for link in links] == ends
