"""Checks whether the figures in a report or page still hold for the scenarios that it contains."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct, structs

from app.cli.patience import refuse_minutes
from app.cli.scenario_argument import choices_of
from app.storage.record import Change, Record, changes, records_in, scenario_in
from core.figure import Figure
from core.figures.evaluation import Evaluation, evaluation_of
from core.filekind import is_html
from core.files.atomic import STANDARD, shown
from core.files.digest import digest_of
from core.files.scenario_file import content_of
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.text import figure, plural

MAX_CHANGES = 8
"""Maximum number of changed figures that are printed."""


class StateCheck(Struct, frozen=True):
    """Comparison of a scenario in a document with its current evaluation."""

    name: Annotated[str, Figure("Name", "", "name of the state; empty if there is one")]
    version: Annotated[str, Figure("Version", "", "version of the program that wrote the document")]
    digest: Annotated[str, Figure("Digest", "", "digest of the scenario when the document was written")]
    current_digest: Annotated[str, Figure("Current digest", "", "digest of the scenario and its files today")]
    changes: Annotated[list[Change], Figure("Changes", "", "figures that differ from a new evaluation")]

    @property
    def holds(self) -> bool:
        """Return whether scenario and figures are unchanged."""
        return self.digest == self.current_digest and not self.changes


class CheckedEvaluation(Evaluation, frozen=True, kw_only=True):
    """Performance of the first scenario in a document, and whether the figures in the document hold."""

    document: Annotated[list[StateCheck], Figure("Document", "", "checks of all states in the document")]


def records_given(options: argparse.Namespace) -> list[Record]:
    """Return the records in the document FILE; empty for other files, or if parts of the scenario are replaced.

    Raises SpecError: if the document is invalid.
    """
    path = options.file
    if path is None or path == STANDARD or choices_of(options) or not path.is_file():
        return []
    content = content_of(path)
    return records_in(content) if is_html(content) else []


def checks_of(records: list[Record], options: argparse.Namespace, first: Evaluation) -> list[StateCheck]:
    """Return the checks of all states in a document; `first` is the evaluation of its first state.

    Raises SpecError: if a scenario in the document is invalid.
    """
    return [_check(record, options, first if not number else None) for number, record in enumerate(records)]


def checked(figures: Evaluation, checks: list[StateCheck]) -> Evaluation:
    """Return the figures, with the checks if there are any."""
    return CheckedEvaluation(**structs.asdict(figures), document=checks) if checks else figures


def _check(record: Record, options: argparse.Namespace, evaluation: Evaluation | None) -> StateCheck:
    scenario = scenario_in(record, options.file.parent)
    if evaluation is None:
        options.live.stage(f"loads of {record.name}")
        report = evaluate(scenario.build(), refuse_minutes(options.live.stage("loads"), options.patient))
        evaluation = evaluation_of(report, bounds(report.case, report))
    return StateCheck(
        record.name, record.version, record.digest, digest_of(scenario), changes(record.figures, evaluation)
    )


def sentences(checks: list[StateCheck], document: Path) -> Iterator[str]:
    """Yield a sentence on each state in the document."""
    for check in checks:
        subject = f"{shown(document.name)}{f', {check.name}' if check.name else ''}"
        yield f"{subject}: {_verdict(check)} It was written by Fabriscope {check.version}."
        for change in check.changes[:MAX_CHANGES]:
            yield f"  {change.figure}: {_value(change.recorded)} in the document, now {_value(change.current)}"
        if len(check.changes) > MAX_CHANGES:
            yield f"  and {len(check.changes) - MAX_CHANGES:,} more"


def _verdict(check: StateCheck) -> str:
    if check.digest != check.current_digest:
        changed = f"the scenario has changed from {check.digest} to {check.current_digest}"
        return f"{changed}, and {_differ(check)}." if check.changes else f"{changed}, but all figures hold."
    return f"{_differ(check)}." if check.changes else f"all figures of scenario {check.digest} hold."


def _differ(check: StateCheck) -> str:
    return f"{plural(len(check.changes), 'figure')} {'differs' if len(check.changes) == 1 else 'differ'}"


def _value(value: Any) -> str:
    return figure(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
