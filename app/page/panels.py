"""The figures of a page next to its pictures, one panel for each state or comparison; readable without scripts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.background.patience import refuse_after
from app.model.comparison_text import throughputs
from app.model.evaluation import Evaluation
from app.report.causes import cause_tables, hottest_section
from app.report.comparison import Rival, comparison_section
from app.report.counters import counters_section
from app.report.document import Headline, Pictures, Section, SideTables, TableBar
from app.report.findings import Findings, Stage, jobs_slowed, worth_explaining
from app.report.loads import class_caption, figures_section, heat, rate_text, report_headline
from app.report.reproduction import Reproduction, reproduction_section
from app.report.scenario import scenario_section
from app.storage.record import Record, record_of
from app.wording.numbers import percent
from core.load.bounds import class_bound
from core.load.evaluate import LoadReport
from core.load.explain import Explanation, explain
from core.spec import Progress, TooLarge, subprogress

MAX_SECONDS = 5.0
"""Maximum seconds for finding the causes of a state's loads, and for the loads of its steps, without --patient."""
NO_PICTURE = 0, 0


@dataclass(frozen=True)
class ClassBar:
    """A link class: its share of the time, and the throughput that it alone would allow."""

    name: str
    share: str
    bar: TableBar
    rate: str
    limiting: bool


@dataclass(frozen=True)
class Panel:
    """The figures of a state, or of a comparison of two."""

    title: str
    headline: Headline | None
    unit: str = ""
    """The unit of `ClassBar.rate`."""
    caption: str = ""
    """The meaning of the bars."""
    classes: Sequence[ClassBar] = ()
    hottest: Section | None = None
    causes: Sequence[tuple[int, SideTables]] = ()
    """Links with the causes of their loads."""
    folded: Sequence[Section] = ()
    """Sections that are folded."""
    record: Record | None = None
    """The scenario of the state and its figures; None for a comparison."""

    @property
    def explained(self) -> list[int]:
        """Return the links with causes."""
        return [link for link, _ in self.causes]


def state_panel(evaluation: Evaluation, name: str, reproduction: Reproduction, stage: Stage, explained: int) -> Panel:
    """Return the panel of a state, with the causes of the loads of up to `explained` links.

    Raises Cancelled: when a progress function does.
    """
    report = evaluation.report
    causes = causes_of(report, explained, stage(f"causes of {name}" if name else "causes"))
    findings = Findings(evaluation, causes, "", "", jobs_slowed(report, stage("jobs")))
    again = replace(reproduction_section(reproduction), title="Reproduce this page")
    measured = () if report.case.measured is None else (_without_pictures(counters_section(report, NO_PICTURE)),)
    classes = list(map(_class_bar, [evaluation] * len(report.classes), range(len(report.classes))))
    return Panel(
        name,
        report_headline(evaluation),
        report.case.job.measure.rate,
        class_caption("100 %", [item.bar for item in classes]),
        classes,
        hottest_section(report),
        [(explanation.link, cause_tables(report, explanation)) for explanation in causes],
        folded=[figures_section(findings), *measured, scenario_section(evaluation.case), again],
        record=record_of(report, evaluation.bounds, name),
    )


def _class_bar(evaluation: Evaluation, number: int) -> ClassBar:
    report = evaluation.report
    loads, time = report.classes[number], report.class_times[number]
    bound, share = class_bound(evaluation.bounds, loads.name), time / report.time if report.time > 0 else 0.0
    mark = None if bound is None or report.time <= 0 else bound.time / report.time
    bar = TableBar(share, heat(share), mark)
    return ClassBar(loads.name, percent(share), bar, rate_text(loads.throughput_gbs), loads.name in report.limiting)


def causes_of(report: LoadReport, count: int, progress: Progress) -> tuple[Explanation, ...]:
    """Return the causes of the loads of up to `count` links: of each class the hottest, then the hottest of all.

    Fewer if finding them takes long. Raises Cancelled: when `progress` does.
    """
    hottest = report.hottest(count)
    links = [*worth_explaining(report), *hottest[report.load[hottest] > 0].tolist()]
    links = list(dict.fromkeys(links))[:count]
    causes: list[Explanation] = []
    try:
        for number, link in enumerate(links):
            causes.append(explain(report, link, subprogress(progress, number, number + 1, len(links))))
    except TooLarge:
        pass
    return tuple(causes)


def comparison_panel(a: Rival, b: Evaluation, name: str) -> Panel:
    """Return the panel of a comparison of A with B, called `name`."""
    section = comparison_section(b, [a], NO_PICTURE, name)
    headline = Headline("", "", f"{throughputs(a.evaluation, b)[0]}.")
    return Panel("", headline, folded=[_without_pictures(replace(section, parts=section.parts[1:]))])


def _without_pictures(section: Section) -> Section:
    return replace(section, parts=[part for part in section.parts if not isinstance(part, Pictures)])


def patient_stage(stage: Stage, patient: bool) -> Stage:
    """Return stages that are stopped after `MAX_SECONDS`, unless the user is patient."""
    return stage if patient else lambda name: refuse_after(MAX_SECONDS, stage(name))
