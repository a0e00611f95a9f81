"""The options `--failures` and `--sample` of documents: single failures that they show."""

import argparse
from typing import TYPE_CHECKING

from app.cli.patience import refuse_minutes
from app.cli.whole_number import whole_number
from core.figures.resilience import COMPONENTS
from core.load.evaluate import LoadReport
from core.spec import SpecError, TooLarge

if TYPE_CHECKING:
    from app.model.what_if import FailureEvaluation


def declare_failures(parser: argparse.ArgumentParser, added: str) -> None:
    """Give the parser the options; `added` names the part that they add to the document."""
    parser.add_argument("--failures", choices=tuple(COMPONENTS), help=f"add {added} of these components")
    parser.add_argument("--sample", type=whole_number(1), metavar="N", help="evaluate N random failures instead of all")


def check_failures(options: argparse.Namespace) -> None:
    """Check that the options go together.

    Raises SpecError: if not.
    """
    if options.sample is not None and options.failures is None:
        raise SpecError("--sample", "requires --failures with the kind of component")


def failures_given(options: argparse.Namespace, report: LoadReport) -> "FailureEvaluation | None":
    """Return the evaluated failures of a report's scenario; None without a request.

    Raises SpecError: if the network has no such component, or if that takes long and is not allowed.
    """
    if options.failures is None:
        return None
    from app.model.what_if import FailureChoice, evaluate_failures

    progress = refuse_minutes(options.live.stage(f"failures of {options.failures}"), options.patient)
    try:
        return evaluate_failures(report, FailureChoice(options.failures, options.sample), progress)
    except TooLarge:
        raise
    except SpecError as error:
        raise SpecError("--failures", error.message) from error
