"""Shortcuts to build and evaluate a scenario."""

from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential


def case_of(network, job, routing, mapping=None, folder=None):
    """The built scenario, sequential unless a mapping is given."""
    return Scenario(network, job, mapping or Sequential(), routing, folder=folder).build()


def report_of(network, job, routing, mapping=None, folder=None):
    """Its loads."""
    return evaluate(case_of(network, job, routing, mapping, folder))
