"""Curves of several scenarios in `resilience`: the throughput after more and more random failures, side by side."""

import argparse
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from app.cli.arguments import is_choice, known_choices
from app.cli.options import declare_number, declare_theme
from app.cli.scenario_argument import (
    choices_of,
    errors_of,
    is_file,
    is_preset,
    scenario_named,
    scenario_on,
    with_choices,
)
from app.cli.whole_number import whole_number
from core.figures.resilience import CurveLength, CurvePoint, FailureCurve, curve_components
from core.files import SUFFIX
from core.files.atomic import STANDARD, shown, write_atomically
from core.load.scenario import Case, Scenario
from core.network import AnyNetwork
from core.optional import optional
from core.spec import SpecError
from core.sweep.results import csv_lines
from core.text import figure, plural

DRAWS = 20
"""Usual number of random draws of a curve."""
PERCENTAGE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
ON_NETWORK = "network", "job", "mapping", "routing"
"""Parts of a scenario that a scenario on another network replaces or keeps."""


def curve_length(text: str) -> CurveLength:
    """Return where a curve ends, from ``16`` or ``10%``; argparse reports errors."""
    percentage = PERCENTAGE.fullmatch(text.strip())
    if percentage is None:
        try:
            return CurveLength(whole_number(1)(text))
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{error}, or a percentage, such as 10%") from error
    if not 0 < float(percentage[1]) <= 100:
        raise argparse.ArgumentTypeError("must be a percentage of more than 0 % and at most 100 %, such as 10%")
    return CurveLength(float(percentage[1]), percent=True)


def declare_curves(parser: argparse.ArgumentParser) -> None:
    """Add the options of curves to the parser."""
    parser.add_argument(
        "--curve",
        type=curve_length,
        metavar="K",
        help="add the throughput after 0 to K simultaneous random failures, or up to a percentage of the components, "
        "such as 10%%: mean, 5th and 95th percentile",
    )
    declare_number(parser, "--draws", (1, 1_000_000), DRAWS, "random draws of the curve", metavar="D")
    parser.add_argument(
        "--against",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="add curves of further scenarios: files, presets, or networks in short form (see below)",
    )
    parser.add_argument("--chart", type=Path, metavar="OUT", help="draw the curves into a picture: .png, .svg or .pdf")
    declare_theme(parser, "light")


def check_curves(options: argparse.Namespace) -> None:
    """Check the options of curves.

    Raises SpecError: if one of them requires --curve.
    """
    for name in ("against", "chart"):
        if getattr(options, name) and options.curve is None:
            raise SpecError(f"--{name}", "requires --curve with the number of failures")


def other_cases(first: Scenario, options: argparse.Namespace) -> Iterator[tuple[str, Case]]:
    """Yield name and built scenario of each --against; a network has the choices of the first scenario.

    Raises SpecError: naming the scenario and the error.
    """
    for text in options.against:
        with errors_of(Path(text), several=True):
            on_network = _is_network(text)
            scenario = _on_network(text, first, options) if on_network else scenario_named(Path(text))
            case = scenario.build()
            curve_components(case.network, options.what, options.curve)
        yield text if on_network else _file_name(Path(text)), case


def _is_network(text: str) -> bool:
    """Return whether a text is a network in short form, rather than a file or preset.

    Raises SpecError: if it is none of them.
    """
    if is_choice(text, AnyNetwork):
        return True
    if not (is_file(Path(text)) or is_preset(text)):
        tag = text.partition(":")[0]
        raise SpecError(
            "--against", f"no such file, preset or network: {shown(text)!r}; {known_choices(tag, AnyNetwork)}"
        )
    return False


def _on_network(network: str, first: Scenario, options: argparse.Namespace) -> Scenario:
    texts = {name: text for name, text in choices_of(options).items() if name in ON_NETWORK}
    texts.pop("network", None)
    if options.file is None:
        return scenario_on(network, texts)
    job = {"job": texts["job"]} if "job" in texts else {}
    kept = Scenario(first.network, first.job, first.mapping, first.routing, folder=first.folder)
    return with_choices(kept, {"network": network} | job)


def first_name(options: argparse.Namespace) -> str:
    """Return the name of the scenario given by the options: of its file or preset, else of its network."""
    return options.network if options.file is None else _file_name(options.file)


def _file_name(path: Path) -> str:
    return "standard input" if path == STANDARD else shown(path.name.removesuffix(SUFFIX))


def on_several_machines(cases: Sequence[Case]) -> bool:
    """Return whether throughputs can be compared only relative to the throughput without a failure."""
    first, *others = cases
    measure, network = first.job.measure, first.scenario.network
    return any((case.job.measure, case.scenario.network) != (measure, network) for case in others)


def print_curve(points: Sequence[CurvePoint], what: str, rate: str) -> None:
    """Print a curve with a line per number of failures."""
    print(f"{'failed ' + what:<16}{'of all':>8}{'relative':>10}{'mean':>10}{'5 %':>10}{'95 %':>10}  {rate}")
    for point in points:
        values = "".join(f"{figure(value):>10}" for value in (point.mean_gbs, point.low_gbs, point.high_gbs))
        lost = f"  {100 * point.disconnecting:.0f} % disconnect flows" if point.disconnecting else ""
        share, relative = f"{point.percent:.3g} %", _percent(point.mean_relative)
        print(f"{point.failures:<16,}{share:>8}{relative:>10}{values}{lost}")


def print_curves(curves: Sequence[FailureCurve], rates: Sequence[str], options: argparse.Namespace) -> None:
    """Print several curves, each by itself and their relative throughputs side by side."""
    for number, (curve, rate) in enumerate(zip(curves, rates, strict=True), start=1):
        print(f"\n{number}. {curve.name}: {curve.components:,} {curve.what}")
        print_curve(curve.points, curve.what, rate)
    print(f"\nrelative throughput, mean of {plural(options.draws, 'draw')} (5 to 95 %)")
    length: CurveLength = options.curve
    columns = [[f"{number}. {curve.name}", *_relative(curve, length)] for number, curve in enumerate(curves, start=1)]
    widths = [max(map(len, column)) for column in columns]
    cut = any(point.disconnecting for curve in curves for point in curve.points)
    labels = [f"failed {curves[0].what}", *_labels(curves[0], length)]
    for line, label in enumerate(labels):
        cells = "  ".join(f"{column[line]:<{width}}" for column, width in zip(columns, widths, strict=True))
        print(f"{label:<16}{cells}".rstrip())
    if cut:
        print("* some draws disconnect flows; throughputs are of the other flows")


def _labels(curve: FailureCurve, length: CurveLength) -> list[str]:
    steps = length.steps(curve.components)
    last = len(steps) - 1
    return [f"{length.most * k / last:.3g} %" if length.percent else f"{count:,}" for k, count in enumerate(steps)]


def _relative(curve: FailureCurve, length: CurveLength) -> list[str]:
    at = {point.failures: point for point in curve.points}
    return [_band(at[count]) for count in length.steps(curve.components)]


def _band(point: CurvePoint) -> str:
    if point.mean_relative is None or not point.failures:
        return _percent(point.mean_relative)
    low, high = (_percent(value).removesuffix(" %") for value in (point.low_relative, point.high_relative))
    return f"{_percent(point.mean_relative)} ({low} to {high} %){'*' if point.disconnecting else ''}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def write_table(path: Path, curves: Sequence[FailureCurve]) -> None:
    """Write all points of several curves as CSV or Parquet, a row per point.

    Raises SpecError: if the file cannot be written.
    """
    columns = table_columns(curves)
    write_atomically(path, csv_of(columns) if path.suffix.lower() == ".csv" else _parquet(columns), "--out")


def table_columns(curves: Sequence[FailureCurve]) -> dict[str, list[Any]]:
    """Return the points of several curves as columns: name and size of the machine, and the figures of the points."""
    own = [{name: value for name, value in asdict(curve).items() if name != "points"} for curve in curves]
    rows = [head | asdict(point) for head, curve in zip(own, curves, strict=True) for point in curve.points]
    return {column: [row[column] for row in rows] for column in rows[0]}


def csv_of(columns: dict[str, list[Any]]) -> bytes:
    """Return columns as CSV."""
    return csv_lines([list(columns), *zip(*columns.values(), strict=True)])


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    table, content = optional("pyarrow", "parquet", "--out").table(columns), BytesIO()
    optional("pyarrow.parquet", "parquet", "--out").write_table(table, content)
    return content.getvalue()
