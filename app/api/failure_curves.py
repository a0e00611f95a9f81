"""Curves of random failures of several scenarios: a table and a chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from app.api.errors import arguments_named
from app.api.picture import Picture
from app.api.scenario import Scenario, ScenarioLike
from app.cli.failure_curves import DRAWS, csv_of, on_several_machines, table_columns
from app.cli.scenario_argument import errors_of
from core.figures.resilience import FailureCurve
from core.files import SUFFIX
from core.files.digest import source_of
from core.optional import optional
from core.spec import SpecError
from core.text import figure

SHOWN = ("name", "failures", "percent", "mean_gbs", "low_gbs", "high_gbs", "mean_relative")
"""Columns in notebooks."""


@dataclass(frozen=True, eq=False, repr=False)
class FailureCurves:
    """Throughputs of several scenarios after more and more random failures, with a row per scenario and number.

    Columns are the name of the scenario, its throughput without a failure, the kind and number of components, and the
    figures of `CurvePoint`.
    """

    curves: tuple[FailureCurve, ...]
    """The curve of each scenario."""
    relative: bool
    """Whether machines differ, so that charts show relative throughputs."""
    source: str
    """Version of the program and digests of the scenarios, as recorded in charts."""

    def __getitem__(self, column: str) -> list[Any]:
        """Return the values of a column, a value per scenario and number of failures."""
        return self.to_dict()[column]

    def __iter__(self) -> Iterator[FailureCurve]:
        """Iterate over the curves."""
        return iter(self.curves)

    def __len__(self) -> int:
        """Return the number of curves."""
        return len(self.curves)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return all columns by name, as `pandas.DataFrame` takes them."""
        return table_columns(self.curves)

    def to_arrow(self) -> Any:
        """Return the table as an Arrow table.

        Raises Error: if pyarrow is not installed.
        """
        return optional("pyarrow", "parquet", "arrow").table(self.to_dict())

    def to_csv(self) -> str:
        """Return the table as CSV."""
        return csv_of(self.to_dict()).decode()

    def render(self, *, size: tuple[int, int] = (960, 600), theme: str = "light") -> Picture:
        """Return a chart of the curves, with width and height in pixels, in the theme ``light`` or ``dark``."""
        from app.cli.picture import save_curves
        from app.cli.render import check_picture

        with arguments_named():
            check_picture("machine", size, theme, None)
        relative, source = self.relative, self.source
        return Picture(
            "failures",
            size,
            lambda out: save_curves(self.curves, out, theme, relative=relative, source=source, size=size),
        )

    def __repr__(self) -> str:
        """Return the names of the scenarios, and the largest number of failures."""
        names = ", ".join(repr(curve.name) for curve in self.curves)
        failures = max(curve.points[-1].failures for curve in self.curves)
        return f"FailureCurves({names}; up to {failures:,} failed {self.curves[0].what})"

    def _repr_html_(self) -> str:
        columns = self.to_dict()
        head = "".join(f"<th>{escape(name)}</th>" for name in SHOWN)
        rows = zip(*(columns[name] for name in SHOWN), strict=True)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        return f"<table><caption>FailureCurves</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def resilience_curves(
    *scenarios: ScenarioLike,
    length: int | str = "10%",
    what: str = "cables",
    draws: int = DRAWS,
    seed: int = 0,
    names: Sequence[str] = (),
    patient: bool = False,
) -> FailureCurves:
    """Return the throughput of several scenarios after more and more random failures.

    Parameters
    ----------
    scenarios
        Scenarios, their files, names of presets, or dicts as from `json.load`.
    length, what, draws, seed
        As arguments of `Scenario.resilience_curve`.
    names
        A name for each scenario (default: of its file or preset, or else of its network).
    patient
        Whether to allow computations that take minutes; by default they are refused.

    Raises Error: naming the invalid argument or field and the valid values.
    """
    if not scenarios:
        raise SpecError("scenarios", "give at least one scenario, file or preset")
    if names and len(names) != len(scenarios):
        raise SpecError("names", f"must have a name for each of the {len(scenarios)} scenarios, not {len(names)}")
    read = [given if isinstance(given, Scenario) else Scenario(given, patient=patient) for given in scenarios]
    called = names or [_name(given) for given in scenarios]
    curves = []
    for number, (scenario, name) in enumerate(zip(read, called, strict=True), start=1):
        with errors_of(Path(name or f"scenario {number}"), several=len(read) > 1):
            curves.append(scenario.resilience_curve(length, what, draws=draws, seed=seed, name=name))
    with arguments_named():
        cases = [scenario._case for scenario in read]
        return FailureCurves(tuple(curves), on_several_machines(cases), source_of(*(case.scenario for case in cases)))


def _name(given: ScenarioLike) -> str:
    return Path(given).name.removesuffix(SUFFIX) if isinstance(given, str | Path) else ""


def _cell(value: Any) -> str:
    text = "-" if value is None else figure(value) if isinstance(value, float) else str(value)
    return f"<td>{escape(text)}</td>"
