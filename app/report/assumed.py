"""The assumptions behind the figures of a report."""

from collections.abc import Iterator

from app.model.state import Evaluation
from app.report.document import Facts, Section, Words
from app.report.scenario import choice_in_words, machine_of
from app.wording.reference import definitions
from core.job.measure import UNITS
from core.load.bounds import bounded
from core.load.scenario import Case
from core.text import duration
from core.timing import timing_of

TERMS = ("Load of a link", "t", "Throughput per node", "Utilisation of a link")
LINKS = (
    "Each link carries its bandwidth in each direction at once: nothing is lost to headers, software or full buffers, "
    "and nodes and switches pass on whatever their links bring."
)
FLUID = "Data is a fluid: where routing spreads it, over several paths or by chance, each path carries its share."
BOUNDS = (
    "What no mapping passes is proved from the job, the network and the routing{of}; it may be out of reach. "
    "Where nothing is said of a class, nothing is known."
)


def assumed_section(evaluation: Evaluation) -> Section:
    """Return the section of the assumptions behind the figures."""
    case = evaluation.case
    lines = [LINKS, FLUID, f"Routing: {' '.join(reversed(choice_in_words(case.scenario.routing)))}"]
    lines += _times(case)
    if case.neighbours.cases:
        lines.append("While this job sends all its volume once, so does each neighbour, evenly over that time.")
    if case.faults is not None:
        lines.append("What is cut by failures does not flow, and all figures are of what does.")
    if evaluation.bounds:
        of = f", for mappings{bounded(case)}".rstrip(",") if bounded(case) else ""
        lines.append(BOUNDS.format(of=of))
    named = ((spec.title, machine_of(spec)) for spec in (case.scenario.network, case.scenario.job))
    lines += [f"{name}: {note}." for _, (name, note) in named if note]
    terms = [(name, [text]) for name, text in definitions() if name in _terms(case)]
    return Section("assumed", "What is assumed", [Words(lines), Facts(terms)])


def _terms(case: Case) -> tuple[str, ...]:
    return TERMS if case.job.measure == UNITS else (*TERMS, "Unit of traced flows")


def _times(case: Case) -> Iterator[str]:
    timing = timing_of(case)
    latency, most = getattr(timing, "hop_seconds", 0.0), getattr(timing, "injection_gbs", None)
    hops = f"each hop takes {duration(latency)}" if latency else "hops take no time of their own"
    nodes = f"{most:g} GB/s at most" if most else "as fast as its links do"
    yield f"Timeline: {timing.summary()}; {hops}; a node sends and receives {nodes}."
    yield "Loads and throughput count bandwidth alone, and t is the sum of what the steps take one after the other."
