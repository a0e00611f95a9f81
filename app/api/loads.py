"""Loads of all links as arrays."""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.files.links import COLUMNS, arrow_table, link_columns
from core.load.evaluate import LoadReport

HOTTEST = 10
"""Links in the table of a notebook."""


@dataclass(frozen=True, eq=False, repr=False)
class Loads:
    """Loads of all directed links: one array per column, each of shape ``(links,)``."""

    src: NDArray[Any]
    """Vertices where the links begin: numbers, or host names if the scenario has them."""
    dst: NDArray[Any]
    """Vertices where they end."""
    link_class: NDArray[np.str_]
    """Names of their classes."""
    gbs: NDArray[np.float64]
    """Bandwidths in GB/s."""
    load: NDArray[np.float64]
    """Loads from all jobs, in `unit`."""
    utilisation: NDArray[np.float64]
    """Times relative to the hottest link, from 0 to 1."""
    unit: str
    """Unit of the loads, such as ``units`` (1 GB each) or ``MB``."""
    report: LoadReport
    """The evaluation that they belong to."""

    @classmethod
    def of(cls, report: LoadReport) -> "Loads":
        """Return the loads of an evaluation."""
        columns = link_columns(report)
        src, dst, names, gbs, load, utilisation = (columns[name] for name in COLUMNS)
        return cls(src, dst, names, gbs, load, utilisation, report.case.job.measure.many, report)

    def to_arrow(self) -> Any:
        """Return all columns as an Arrow table, with own and background loads and counters if there are any.

        Raises SpecError: if pyarrow is not installed.
        """
        return arrow_table(self.report)

    def __len__(self) -> int:
        """Return the number of links."""
        return self.load.size

    def __repr__(self) -> str:
        """Return the number of links and the largest load."""
        return f"Loads({len(self):,} links, max {self.load.max(initial=0.0):.6g} {self.unit})"

    def _repr_html_(self) -> str:
        """Return the hottest links as a table, for notebooks."""
        heads = ("class", "from", "to", "GB/s", f"load, {self.unit}", "utilisation")
        order = np.argsort(-self.utilisation, kind="stable")[:HOTTEST]
        rows = "".join(
            f"<tr><td>{escape(str(self.link_class[k]))}</td><td>{escape(str(self.src[k]))}</td>"
            f"<td>{escape(str(self.dst[k]))}</td><td>{self.gbs[k]:g}</td><td>{self.load[k]:.6g}</td>"
            f"<td>{self.utilisation[k]:.1%}</td></tr>"
            for k in order.tolist()
        )
        head = "".join(f"<th>{escape(name)}</th>" for name in heads)
        caption = f"The {order.size:,} hottest of {len(self):,} links"
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
