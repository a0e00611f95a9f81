"""The report of an evaluated scenario."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.model.evaluation import Evaluation
from app.model.scenario_diff import titled
from app.report.causes import bottleneck_section, hottest_section
from app.report.comparison import Rival, comparison_section
from app.report.counters import counters_section
from app.report.document import Document, Facts, PicturePlace, Pictures, ReportPart, Section, Words, made_at
from app.report.failures import FailureFindings, failures_section
from app.report.findings import Findings
from app.report.loads import figures_section, report_headline
from app.report.reproduction import Reproduction, reproduction_section
from app.report.scenario import choice_in_words, machine_of, scenario_section
from app.report.throughput_history import SessionSteps, history_section
from app.report.times import timeline_section
from app.wording.names import title_of
from app.wording.reference import definitions
from core.job.measure import UNITS
from core.load.bounds import scope
from core.load.scenario import Case, Scenario
from core.routing import FaultyRouter
from core.text import duration
from core.timing import timing_of

TERMS = ("Load of a link", "t", "Throughput per node", "Utilisation of a link")
LINKS = (
    "Every link has its full bandwidth in both directions at the same time. Headers, software and full buffers cost "
    "nothing, and nodes and switches forward at the speed of their links."
)
FLUID = "Data is divisible. If routing spreads a flow over several paths, each path carries its share."
BOUNDS = (
    "Upper bounds are proved from the job, the network and the routing. They hold for all mappings{scope}. "
    "They may be unattainable. Classes without an entry have no known bound."
)


def assumed_section(evaluation: Evaluation) -> Section:
    """Return the section on the assumptions behind the figures."""
    case = evaluation.case
    lines = [LINKS, FLUID, f"Routing: {' '.join(reversed(choice_in_words(case.scenario.routing)))}"]
    lines += _times(case)
    if case.neighbours.cases:
        lines.append(
            "While this job sends its volume once, each background job sends its own volume once, spread evenly over "
            "that time."
        )
    if case.neighbours.constant.size:
        lines.append(
            "Background loads of unknown origin are constant: they count once while this job sends its volume."
        )
    if isinstance(case.router, FaultyRouter):
        lines.append("Disconnected flows are excluded from all figures.")
    if evaluation.bounds:
        lines.append(BOUNDS.format(scope=scope(case)))
    named = ((spec.title, machine_of(spec)) for spec in (case.scenario.network, case.scenario.job))
    lines += [f"{name}: {note}." for _, (name, note) in named if note]
    terms = [(name, [text]) for name, text in definitions() if name in _terms(case)]
    return Section("assumed", "Assumptions", [Words(lines), Facts(terms)])


def _terms(case: Case) -> tuple[str, ...]:
    return TERMS if case.job.measure == UNITS else (*TERMS, "Unit of traced flows")


def _times(case: Case) -> Iterator[str]:
    timing = timing_of(case)
    latency, most = getattr(timing, "hop_seconds", 0.0), getattr(timing, "injection_gbs", None)
    hops = f"each hop adds {duration(latency)}" if latency else "hops add no latency"
    nodes = f"up to {most:g} GB/s" if most else "the bandwidth of its links"
    yield f"Timeline: {timing.summary()}; {hops}, and a node sends and receives at {nodes}."
    yield "Loads and throughput depend on bandwidth alone. t is the total time of the steps, one after another."


WIDE, SQUARE = 1032, (560, 540)
"""Width of a picture over the whole page, and size of one of two side by side, in pixels."""
MACHINE, CHART, COURSE, CURVES = (WIDE, 660), (WIDE, 320), (WIDE, 260), (WIDE, 300)


@dataclass(frozen=True)
class Subject:
    """The subject of a report: names, states to compare with, failures, and the command."""

    name: str
    """The name of the file, or `usual_name`."""
    reproduction: Reproduction
    """The command that reproduces the report."""
    rivals: Sequence[Rival] = ()
    """States to compare with, the first of them link by link."""
    steps: SessionSteps | None = None
    """The session's steps, or None without a session."""
    failures: FailureFindings | None = None
    """The failures of components, or None if they were not evaluated."""


def usual_name(scenario: Scenario) -> str:
    """Return the name of a scenario without a file."""
    return f"{scenario.job.title} on {_network_name(scenario)}"


def _network_name(scenario: Scenario) -> str:
    return machine_of(scenario.network)[0] or scenario.network.title


def document_of(findings: Findings, subject: Subject, now: datetime) -> Document:
    """Return the report made at the time `now`."""
    evaluation = findings.evaluation
    case = evaluation.case
    sections = [
        scenario_section(case),
        figures_section(findings),
        bottleneck_section(findings),
        hottest_section(evaluation.report),
        *([counters_section(evaluation.report, MACHINE)] if case.measured is not None else ()),
        timeline_section(findings, WIDE),
        *([failures_section(subject.failures, case.job.measure, CURVES)] if subject.failures is not None else ()),
        Section("pictures", "Distribution of the load", _pictures()),
        *([history_section(subject.steps, COURSE)] if subject.steps is not None else ()),
        *([comparison_section(evaluation, subject.rivals, MACHINE)] if subject.rivals else ()),
        assumed_section(evaluation),
        reproduction_section(subject.reproduction),
    ]
    machine = PicturePlace("machine", "Machine", MACHINE, "Links are coloured by load ÷ bandwidth.")
    title, subtitle, note = titles(case, subject.name)
    return Document(
        title,
        subtitle,
        report_headline(evaluation),
        sections,
        made_at(now, "" if findings.record is None else findings.record.digest),
        note=note,
        record=findings.record,
        lead=[Pictures([machine], wide=True)],
    )


def titles(case: Case, name: str) -> tuple[str, str, str]:
    """Return title, subtitle and note of a document on a scenario called `name`."""
    scenario = case.scenario
    choices = " · ".join(map(titled, (scenario.job, scenario.mapping, scenario.routing)))
    title = title_of(scenario.note)
    subtitle = f"{_network_name(scenario)} · {choices[:1].upper()}{choices[1:]} · {case.size}"
    return title or name, subtitle, scenario.note.removeprefix(title).strip()


def _pictures() -> list[ReportPart]:
    inside = PicturePlace(
        "inner", "Inner links", SQUARE, "Links within the group of the hottest link, from row to column."
    )
    bundles = PicturePlace("matrix", "Bundles", SQUARE, "Hottest link from each group (row) to each group (column).")
    job = PicturePlace("job", "Job", SQUARE, "Placement of the tasks, with one colour per group of the machine.")
    distribution = PicturePlace("distribution", "Distribution", CHART, "Number of links of each class by load.")
    traffic = PicturePlace("traffic", "Traffic", SQUARE, "Volume between tasks, and by number of hops.")
    return [Pictures([bundles, inside, job, traffic]), Pictures([distribution], wide=True)]
