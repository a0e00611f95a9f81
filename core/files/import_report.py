"""Reports on the files of other tools: format, contents, and notes on parts omitted or guessed."""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from core.counters.measured import Measured
from core.counters.measured_links import MeasuredLinks
from core.job.job import Job
from core.load.scenario import Case
from core.mapping.mapping import Mapping
from core.network.formats import options_unused_by
from core.network.formats.written_graph import leads_back
from core.network.network import Network
from core.network.nics import nodes_text
from core.network.tree_embedding import tree_of
from core.routing import without_faults
from core.routing.router import Router, RoutingSpec
from core.spec import file_field
from core.text import figure, plural


class ImportReport(NamedTuple):
    """The contents of a file, in words."""

    file: str
    """Name of the file."""
    source: str
    """Format of the file: ``a DOT graph``."""
    contents: tuple[str, ...]
    """Lines such as ``64 nodes, 12 switches, 160 cables``."""
    notes: tuple[str, ...]
    """Parts omitted, guessed or ambiguous."""
    unused: frozenset[str] = frozenset()
    """Fields that do not apply to the format."""

    @property
    def summary(self) -> tuple[str, ...]:
        """Return the contents; the first line begins with the format."""
        return f"{self.source}, {self.contents[0]}", *self.contents[1:]

    @property
    def lines(self) -> list[str]:
        """Return the contents and the notes; the first line begins with the file and its format."""
        first, *others = self.summary
        return [f"{self.file}: {first}", *others, *self.notes]


def reports_of(case: Case) -> dict[str, ImportReport]:
    """Return the reports on the files of a scenario's main job, by choice: ``network``, ``job``, ``mapping``, ..."""
    scenario = case.scenario
    reports = {
        "network": report_on_network(case.network),
        "job": _report(scenario.job, case.job, _job_contents),
        "mapping": _report(scenario.mapping, case.mapping, _mapping_contents),
        "routing": report_on_routing(scenario.routing, case.router),
        "measured": None if case.measured is None else report_on_counters(scenario.measured, case.measured),
    }
    return {choice: report for choice, report in reports.items() if report is not None}


def report_on_network(network: Network) -> ImportReport | None:
    """Return the report on the file of a network, or None for other networks."""
    report = _report(network.spec, network, _network_contents)
    return None if report is None else report._replace(unused=options_unused_by(network.source))


def report_on_routing(spec: RoutingSpec, router: Router) -> ImportReport | None:
    """Return the report on the file of a routing, perhaps around faults, or None if it needs no file."""
    return _report(spec, without_faults(router), _routing_contents)


def report_on_counters(spec: Measured | None, links: MeasuredLinks) -> ImportReport | None:
    """Return the report on the files of counters, or None without counters."""
    if spec is None:
        return None
    given, total = int((~np.isnan(links.gb)).sum()), links.gb.size
    interval = "unknown length" if links.seconds is None else f"{links.seconds:g} s"
    contents = f"{plural(given, 'link')} of {total:,}, over an interval of {interval}"
    file = Path(spec.after).name + ("" if spec.before is None else f" since {Path(spec.before).name}")
    return ImportReport(file, links.source, (contents,), links.warnings)


def notes_on_network(network: Network) -> list[str]:
    """Return the report on the file of a network, or the warnings about a network without a file."""
    report = report_on_network(network)
    return list(network.warnings) if report is None else report.lines


Built = TypeVar("Built", Network, Job, Mapping, Router)


def _report(spec: Any, built: Built, contents: Callable[[Built], tuple[str, ...]]) -> ImportReport | None:
    if not built.source:
        return None
    return ImportReport(Path(getattr(spec, file_field(type(spec)))).name, built.source, contents(built), built.warnings)


# The window shows the same report again after each edit.
@lru_cache(maxsize=4)
def _network_contents(network: Network) -> tuple[str, ...]:
    both = leads_back(network)
    noun, ends = ("cable", 2) if both else ("one-way link", 1)
    switches = network.vertices - network.nodes
    counts = (
        nodes_text(network.nodes, network.host_slots.count, "GPU" if network.devices else "node"),
        plural(switches, "switch"),
        plural(network.links // ends, noun),
    )
    classes = (
        f"{plural(links.count // ends, _link_noun(links.name))} of {figure(links.gbs)} GB/s"
        for links in network.classes
    )
    return ", ".join(counts), ", ".join(classes), *_tree(network)


def _link_noun(name: str) -> str:
    # Several classes of a kind have their bandwidth in their name: "node link 12.5 GB/s".
    kind = re.sub(r" [\d.]+ GB/s$", "", name)
    return kind if kind.endswith(("link", "cable")) else f"{kind} link"


def _tree(network: Network) -> tuple[str, ...]:
    tree = tree_of(network)
    # The numbers of switches and nodes already describe a single level.
    return () if tree is None or tree.tree.height == 1 else (f"tree: {tree.name}; {tree.switches_text}",)


@lru_cache(maxsize=4)
def _job_contents(job: Job) -> tuple[str, ...]:
    if job.contents:
        return job.contents
    flows = sum(block.src.size for _, block in job.phases[0].blocks())
    return (f"{plural(job.tasks, 'task')}, {plural(flows, 'flow')}",)


def _mapping_contents(mapping: Mapping) -> tuple[str, ...]:
    nodes = np.unique(mapping.nodes).size
    return (f"{plural(mapping.slots.size, 'rank')} on {plural(nodes, 'node')}",)


def _routing_contents(router: Router) -> tuple[str, ...]:
    return router.contents
