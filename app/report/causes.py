"""The bottleneck and its causes: the load on the hottest links explained, swaps that help, and all hottest links."""

from collections.abc import Iterator, Sequence

from app.model import load_parts
from app.model.load_parts import (
    carried,
    group_parts,
    in_measure,
    job_parts,
    labelled_parts,
    link_title,
    nearly_hottest,
    task_parts,
)
from app.report.document import ReportPart, Section, SideTables, Table, TableBar, TableHead, Words
from app.report.findings import Findings
from app.report.loads import heat
from app.wording.names import top_level
from app.wording.numbers import percent, significant
from app.wording.swaps import gain_text, suggestions_text
from core.job.measure import Measure
from core.load.evaluate import LoadReport
from core.load.explain import Explanation, by_way
from core.text import plural, plural_noun

MAX_LINKS = 20
"""Maximum rows of the table of links."""
NO_LOAD = "No link carries anything."


def bottleneck_section(findings: Findings) -> Section:
    """Return the section on what limits the job, and what to move."""
    report = findings.evaluation.report
    if report.time <= 0:
        return Section("bottleneck", "Bottleneck", [Words([NO_LOAD])])
    count = int(report.case.network.multiplicity[report.bottleneck_links].sum())
    nearly = _nearly(report)
    more = "" if nearly.startswith(f"; {count:,} ") else nearly
    parts: list[ReportPart] = [Words([f"The job is limited by {plural(count, 'link')}{more}."])]
    if isinstance(findings.causes, str):
        parts.append(Words([f"The hottest links are not explained: {findings.causes}."]))
    else:
        for explanation in findings.causes:
            parts.append(cause_tables(report, explanation))
    return Section("bottleneck", "Bottleneck and its causes", [*parts, *_moves(findings)])


def _nearly(report: LoadReport) -> str:
    # With several phases, the link that is hottest in total may not be the busiest of any single phase.
    nearly = nearly_hottest(report)
    return "" if nearly.startswith("0 ") else f"; {nearly} of the hottest"


def cause_tables(report: LoadReport, explanation: Explanation) -> SideTables:
    """Return the load of a link by job, by hop, and by pairs of groups and of tasks."""
    network, measure = report.case.network, report.case.job.measure.suited(explanation.load)
    title = link_title(network.link_name(explanation.link), float(report.utilisation[explanation.link]))
    level, kind = top_level(network), explanation.part_kind
    kinds = (
        ("By job", "Job", job_parts(report, explanation.link)),
        ("By role of the hop", "Hop", _shares(explanation.roles, explanation.load)),
        ("By position on the path", "Position", _shares(by_way(network, explanation), explanation.load)),
        (f"By {kind}", kind.capitalize(), labelled_parts(report, explanation)),
        (f"By pair of {plural_noun(level)}", "From → to", group_parts(network, explanation)),
        ("By pair of tasks", "From → to", task_parts(explanation)),
    )
    tables = [_parts(f"{caption}.", head, parts, measure) for caption, head, parts in kinds if parts]
    return SideTables(f"{title}: {carried(report, explanation.link)}", tables)


def _shares(parts: dict[str, float], total: float) -> list[load_parts.LoadPart]:
    return [load_parts.LoadPart(name, load, load / total) for name, load in parts.items()]


def _parts(caption: str, head: str, parts: Sequence[load_parts.LoadPart], measure: Measure) -> Table:
    bar = TableHead("", number=False, bar=True)
    heads = TableHead(head, number=False), TableHead("Load", measure.many), TableHead("Share", "%"), bar
    converted = in_measure(parts, measure)
    rows = [(part.text, significant(part.load), percent(part.share).removesuffix(" %")) for part in converted]
    return Table(heads, rows, caption, [TableBar(part.share) for part in parts])


def _moves(findings: Findings) -> Iterator[ReportPart]:
    suggestions = findings.suggestions
    if isinstance(suggestions, str):
        yield Words([f"Swaps were not tried: {suggestions}."])
        return
    note = suggestions_text(suggestions)
    if note:
        yield Words([note])
    if suggestions.best:
        heads = TableHead("Single swaps that help", number=False), TableHead("Gain, or remaining hottest links")
        yield Table(heads, [(swap.name, gain_text(swap)) for swap in suggestions.best])


def hottest_section(report: LoadReport) -> Section:
    """Return the section with the table of the hottest links."""
    links = report.hottest(MAX_LINKS)
    links = links[report.load[links] > 0]
    if not links.size:
        return Section("hottest", "Hottest links", [Words([NO_LOAD])])
    network = report.case.network
    measure, shared = report.case.job.measure.suited(float(report.total_load[links].max())), bool(report.others.size)
    heads = (
        TableHead("Class", number=False), TableHead("From", number=False), TableHead("To", number=False),
        TableHead("Load", measure.many), *([TableHead("This job", measure.many)] if shared else ()),
        TableHead("Utilisation", "%"), TableHead("", number=False, bar=True),
    )  # fmt: skip
    rows, bars = [], []
    for link in links.tolist():
        share = float(report.utilisation[link])
        own = [significant(measure.converted(float(report.load[link])))] if shared else []
        load = significant(measure.converted(float(report.total_load[link])))
        name = network.classes[int(network.class_of[link])].name
        rows.append((name, *network.link_ends(link), load, *own, percent(share).removesuffix(" %")))
        bars.append(TableBar(share, heat(share)))
    caption = f"The {plural(len(rows), 'hottest link')} of {network.real_links:,}{_nearly(report)}."
    return Section("hottest", "Hottest links", [Table(heads, rows, caption, bars)])
