"""`explain`: the causes of the load on the hottest links, and swaps that reduce it."""

import argparse
from collections.abc import Callable, Sequence
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from app.cli.evaluate import print_report
from app.cli.flow import ExplainedFlow, explained_flow, flow_of, print_flow, two_tasks
from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog, declare_number
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.scenario_argument import declare_scenario, scenario_given
from app.model.load_parts import (
    LoadPart,
    carried,
    group_parts,
    in_measure,
    job_parts,
    labelled_parts,
    link_title,
    nearly_hottest,
    task_parts,
)
from app.model.parts import part_named
from app.wording.names import top_level
from app.wording.numbers import percent, significant
from app.wording.swaps import gain_text, suggestions_text
from core.figure import RATE, VOLUME, Figure
from core.figures.evaluation import unit_of
from core.figures.notes import job_notes
from core.figures.result import Result
from core.files.atomic import shown
from core.job.measure import Measure
from core.load.bounds import bounds
from core.load.crossings import PartCrossings, part_crossings
from core.load.evaluate import LoadReport, evaluate
from core.load.explain import Explanation, LoadParts, by_way, explain
from core.load.job_reports import shares_of
from core.load.swap_suggestions import Suggestions, suggest_swaps
from core.mapping.edit import EMPTY
from core.network.link_ends import end_named
from core.network.network import Network
from core.spec import Progress, SpecError, subprogress
from core.text import plural_noun

TOP = 3
"""Links explained by default."""
MAX_TOP = 1000
MAX_PARTS = 32
"""Labelled parts whose repeated links are printed."""
MAX_PAIRS = 100
"""Maximum number of pairs of groups, pairs of tasks and labelled parts in --json; the rest is summed."""
EPILOG = """\
The upper bound is printed with its proof, step by step. Other commands print the bound without its proof.

--link takes the class of a link and its two ends, as the window shows them, with or without the dots, such as
--link LR "21 d1 12" "21 d0 4". The ends may also be numbers of nodes and switches, as evaluate --links writes them.
An end may include its port (--link "switch link" "s1 port 5" "s2 port 1") or its number among parallel links
("s2 (parallel 1)"). Of several parallel links without a number, the hottest is explained.

Fields that --json prints:
  throughput_gbs, bottleneck  as evaluate --json prints them
  links       the explained links, hottest first, each with
    class, from, to, src, dst   its class, and the names and numbers of its ends
    load, utilisation           its load from all jobs, and its time relative to the hottest link
    roles                       load by role of the hop
    ways                        load by position of the link on the flows' paths
    parts                       load by part of the job, if its flows have labelled parts (such as the channels of a
                                collective), largest first, with the number of steps in which each loads the link
    groups, tasks               load by pair, largest first; others is the sum of the remaining pairs
    own, jobs                   with background jobs: the load of this job, which roles, ways, parts, groups and
                                tasks break down, and the load of each job
  move        the single swaps that help most, with the resulting throughput
  crossings   for each part of the job, if its flows have labelled parts: links between switches that its flows cross
              more than once, each with the number of times (in one step), such as links that a ring crosses twice

With --flow, these fields replace links and move:
  flow        the flow, with
    source, destination         its tasks; from and to are their nodes
    volume, hops                its volume, and the mean number of hops
    paths                       the number of paths (null if they cannot be distinguished)
    path, share                 the links of the path with the largest share, and that share of the flow
    links                       all links of all paths, each with its share of the flow
"""


class PairLoad(Struct, frozen=True, rename={"leaves": "from", "reaches": "to"}):
    """The volume that a pair sends across a link."""

    src: int
    dst: int
    load: float
    leaves: str | UnsetType = UNSET
    """The name of a group or node."""
    reaches: str | UnsetType = UNSET


class PairLoads(Struct, frozen=True):
    """A job's own load on a link by pairs; with `others` they add up to this load."""

    of: str
    """The kind of the pairs' members: a level of the network, node or task."""
    pairs: list[PairLoad]
    others: float


class PartLoad(Struct, frozen=True):
    """The load of a link by one labelled part of the job."""

    label: str
    load: float
    steps: int
    """Number of steps in which it loads the link."""


class PartLoads(Struct, frozen=True):
    """A job's own load on a link by labelled part; with `others` they add up to this load."""

    of: str
    """Kind of the parts, such as channels."""
    parts: list[PartLoad]
    others: float


class LinkCauses(Struct, frozen=True, rename={"link_class": "class", "leaves": "from", "reaches": "to"}):
    """The causes of a link's load."""

    link_class: str
    leaves: str
    reaches: str
    src: int
    dst: int
    load: float
    """Load from all jobs."""
    utilisation: float
    """Its time relative to the time of the hottest link."""
    roles: dict[str, float]
    ways: dict[str, float]
    groups: PairLoads
    tasks: PairLoads
    own: float | UnsetType = UNSET
    """The job's own part of `load`, if there are several jobs; broken down by roles, ways, parts, groups and tasks."""
    jobs: dict[str, float] | UnsetType = UNSET
    """The load of each job, if there are several."""
    parts: PartLoads | UnsetType = UNSET
    """Omitted if the job has no labelled parts."""


class LinkCrossings(Struct, frozen=True, rename={"link_class": "class", "leaves": "from", "reaches": "to"}):
    """A link that several flows of a part of the job cross."""

    link_class: str
    leaves: str
    reaches: str
    src: int
    dst: int
    times: float


class Crossings(Struct, frozen=True):
    """The links between switches that a part of the job crosses more than once."""

    label: str
    links: list[LinkCrossings]


class Move(Struct, frozen=True):
    """A single swap that helps."""

    name: str
    task: int
    partner: int | None
    """The task that it is swapped with; None if it moves to an empty slot."""
    node: int
    """The destination node."""
    throughput_gbs: float | None
    gain_gbs: float
    hottest_links: int
    """Number of links that are as hot as the hottest after the swap."""


class Explained(Result, Struct, frozen=True):
    """What limits a job."""

    throughput_gbs: Annotated[
        float | None, Figure("Throughput", RATE, "throughput per node; none if all links are idle")
    ]
    bottleneck: Annotated[str | None, Figure("Bottleneck", "", "link class that limits the throughput")]
    links: Annotated[
        list[LinkCauses], Figure("Links", VOLUME, "explained links, hottest first, with the causes of their loads")
    ]
    move: Annotated[list[Move], Figure("Swaps", RATE, "single swaps that help most, with the resulting throughput")]
    note: Annotated[str, Figure("Note", "", "remark on the swaps tried; empty if their gains need none")]
    unit: Annotated[str | UnsetType, Figure("Unit", "", "unit of loads, such as MB; missing for units")] = UNSET
    notes: Annotated[
        list[str] | UnsetType, Figure("Notes", "", "notes on the job, such as warnings about its file")
    ] = UNSET
    crossings: Annotated[
        list[Crossings] | UnsetType,
        Figure("Crossings", "", "links that one part of the job crosses more than once; missing without parts"),
    ] = UNSET


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    declare_scenario(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--link", nargs=3, metavar=("CLASS", "FROM", "TO"), help="explain this link")
    which.add_argument(
        "--flow", type=two_tasks, metavar="A:B", help="explain the paths of the flow from task A to task B"
    )
    declare_number(which, "--top", (1, MAX_TOP), TOP, "explain the N hottest links")
    declare_json(parser, Explained, ExplainedFlow)
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain links or a flow of a scenario."""
    live = options.live
    live.stage("reading")
    case = scenario_given(options).build(progress=live.later_stage("mapping"))
    report = evaluate(case, refuse_minutes(live.stage("loads"), options.patient))
    if options.flow is not None:
        return _print_flow_of(report, options)
    links = hottest(report, options.top) if options.link is None else [link_of(report, options.link)]
    explanations = explanations_of(report, links, refuse_minutes(live.stage("causes"), options.patient))
    swaps = suggest_swaps(report, refuse_minutes(live.stage("what to move"), options.patient))
    crossings = part_crossings(report, live.stage("crossings"))
    live.stage("bounds")
    strongest = bounds(report.case, report)
    live.end()
    if options.json:
        print_json(explained(report, explanations, swaps, crossings))
    else:
        print_report(report, strongest, proved=True)
        _print(report, explanations, swaps, crossings)
    return 0


def _print_flow_of(report: LoadReport, options: argparse.Namespace) -> int:
    paths = flow_of(report, options.flow)
    options.live.stage("bounds")
    strongest = bounds(report.case, report)
    options.live.end()
    if options.json:
        print_json(explained_flow(paths))
    else:
        print_report(report, strongest, proved=True)
        print_flow(paths)
    return 0


def explanations_of(report: LoadReport, links: Sequence[int], progress: Progress) -> list[Explanation]:
    """Return the causes of the loads of some links.

    Raises Cancelled: when `progress` does.
    """
    return [explain(report, link, subprogress(progress, k, k + 1, len(links))) for k, link in enumerate(links)]


def hottest(report: LoadReport, count: int) -> list[int]:
    """Return the hottest links with a load, hottest first."""
    links = report.hottest(count)
    hot: list[int] = links[report.load[links] > 0].tolist()
    return hot


def link_of(report: LoadReport, names: Sequence[str]) -> int:
    """Return the link with a class and two ends; of parallel links without a number, the hottest.

    Raises SpecError: under ``--link``, with valid names.
    """
    network = report.case.network
    kind, *ends = names
    try:
        link = _link_named(kind, ends, network)
    except SpecError:
        numbered = [_label(end, network) for end in ends]
        if numbered == ends:
            raise
        link = _link_named(kind, numbered, network)
    if any(port for _, port in (end_named(end, network.vertex_named) for end in ends)):
        return link
    links = network.links_between(int(network.src[link]), int(network.dst[link]))
    links = links[network.class_of[links] == network.class_of[link]]
    return int(links[report.load[links].argmax()])


def _link_named(kind: str, ends: Sequence[str], network: Network) -> int:
    name = f"{kind} {' -> '.join(ends)}"
    item = part_named(name, network, "--link").item
    if item is None or item.kind != "link":
        raise SpecError("--link", f"no such link: {shown(name)}; give its class and both ends")
    return item.index


def _label(text: str, network: Network) -> str:
    # A vertex may also be given by its number, and a host with or without its domain.
    def vertex(name: str) -> int | None:
        is_number = name.isascii() and name.isdecimal() and len(name) < 10 and int(name) < network.vertices
        named = network.node_named(name)
        return int(name) if named is None and is_number else named

    end, port = end_named(text, vertex)
    return text if end is None else network.label(end) + port


def explained(
    report: LoadReport, explanations: Sequence[Explanation], swaps: Suggestions, crossings: Sequence[PartCrossings]
) -> Explained:
    """Return what limits a job: links with the causes of their load, and swaps that help."""
    moves = [
        Move(
            swap.name, swap.task, None if swap.partner == EMPTY else swap.partner, swap.node, swap.after.throughput_gbs,
            swap.gain_gbs, swap.after.hot,
        )
        for swap in swaps.best
    ]  # fmt: skip
    links = [_causes(report, explanation) for explanation in explanations]
    figures = report.throughput_gbs, report.bottleneck, links, moves
    notes = job_notes(report.case.job) or UNSET
    crossed = [Crossings(part.label, _crossed(report.case.network, part)) for part in crossings]
    return Explained(*figures, suggestions_text(swaps), unit_of(report), notes, crossed or UNSET)


def _crossed(network: Network, part: PartCrossings) -> list[LinkCrossings]:
    crossed = zip(part.links[:MAX_PAIRS].tolist(), part.times[:MAX_PAIRS].tolist(), strict=True)
    return [
        LinkCrossings(
            network.classes[int(network.class_of[link])].name,
            *network.link_ends(link),
            int(network.src[link]),
            int(network.dst[link]),
            times,
        )
        for link, times in crossed
    ]


def _causes(report: LoadReport, explanation: Explanation) -> LinkCauses:
    network, measure, link = report.case.network, report.case.job.measure, explanation.link
    (leaves, reaches), several = network.link_ends(link), bool(report.others.size)
    return LinkCauses(
        link_class=network.classes[int(network.class_of[link])].name,
        leaves=leaves,
        reaches=reaches,
        src=int(network.src[link]),
        dst=int(network.dst[link]),
        load=measure.converted(float(report.total_load[link])),
        utilisation=float(report.utilisation[link]),
        roles={role: measure.converted(load) for role, load in explanation.roles.items()},
        ways={way: measure.converted(load) for way, load in by_way(network, explanation).items()},
        groups=_pairs(top_level(network), explanation.groups, measure, network.group_label),
        tasks=_pairs("task", explanation.tasks, measure),
        own=measure.converted(explanation.load) if several else UNSET,
        jobs={share.name: measure.converted(share.load) for share in shares_of(report, link)} if several else UNSET,
        parts=_labelled(explanation, measure) if explanation.parts else UNSET,
    )


def _labelled(explanation: Explanation, measure: Measure) -> PartLoads:
    parts = [PartLoad(part.label, measure.converted(part.load), part.steps) for part in explanation.parts[:MAX_PAIRS]]
    rest = sum(part.load for part in explanation.parts[MAX_PAIRS:])
    return PartLoads(explanation.part_kind, parts, measure.converted(rest))


def _pairs(of: str, parts: LoadParts, measure: Measure, name: Callable[[int], str] | None = None) -> PairLoads:
    first = (values[:MAX_PAIRS].tolist() for values in (parts.src, parts.dst, measure.converted(parts.load)))
    rest = float(parts.load[MAX_PAIRS:].sum()) + parts.others
    pairs = [
        PairLoad(src, dst, load, *(map(name, (src, dst)) if name is not None else ()))
        for src, dst, load in zip(*first, strict=True)
    ]
    return PairLoads(of, pairs, measure.converted(rest))


def _print(
    report: LoadReport, explanations: Sequence[Explanation], swaps: Suggestions, crossings: Sequence[PartCrossings]
) -> None:
    measure, network = report.case.job.measure, report.case.network
    if report.time <= 0:
        return
    print(f"\nHottest links: {nearly_hottest(report)}; loads in {measure.many}")
    for explanation in explanations:
        print(f"\n{link_title(network.link_name(explanation.link), float(report.utilisation[explanation.link]))}")
        print(f"  {carried(report, explanation.link)}")
        _print_parts("by job", job_parts(report, explanation.link), measure)
        roles = [LoadPart(role, load, load / explanation.load) for role, load in explanation.roles.items()]
        _print_parts("by role of the hop", roles, measure)
        ways = by_way(network, explanation)
        positions = [LoadPart(way, load, load / explanation.load) for way, load in ways.items()]
        _print_parts("by position on the path", positions, measure)
        _print_parts(f"by {explanation.part_kind}", labelled_parts(report, explanation), measure)
        groups = f"by pair of {plural_noun(top_level(network))}"
        _print_parts(groups, group_parts(network, explanation) if explanation.load > 0 else (), measure)
        _print_parts("by pair of tasks", task_parts(explanation) if explanation.load > 0 else (), measure)
    _print_crossings(network, crossings)
    print("\nWhat to move")
    note = suggestions_text(swaps)
    if note:
        print(f"  {note}")
    width = max((len(swap.name) for swap in swaps.best), default=0)
    for swap in swaps.best:
        print(f"  {swap.name:<{width}}  {gain_text(swap)}")


def _print_crossings(network: Network, crossings: Sequence[PartCrossings]) -> None:
    crossing = [part for part in crossings if part.links.size]
    if not crossings:
        return
    print("\nLinks between switches that one part crosses more than once in a step")
    width = max((len(part.label) for part in crossing[:MAX_PARTS]), default=0)
    for part in crossing[:MAX_PARTS]:
        named = zip(part.links[:TOP].tolist(), part.times[:TOP].tolist(), strict=True)
        links = "; ".join(f"{network.link_name(link)} ({times:.3g} times)" for link, times in named)
        more = f"; and {part.links.size - TOP:,} more" if part.links.size > TOP else ""
        print(f"  {part.label:<{width}}  {links}{more}")
    if len(crossing) > MAX_PARTS:
        print(f"  and {len(crossing) - MAX_PARTS:,} more parts")
    if len(crossing) < len(crossings):
        print(f"  parts without such links: {len(crossings) - len(crossing):,} of {len(crossings):,}")


def _print_parts(title: str, parts: Sequence[LoadPart], measure: Measure) -> None:
    if not parts:
        return
    print(f"  {title}")
    width = max(len(part.text) for part in parts)
    for part in in_measure(parts, measure):
        print(f"    {part.text:<{width}}  {significant(part.load):>10}  {percent(part.share):>7}")
