"""Loads of a Power 775 in DragonView's CSV, by group, row and column.

Supernodes are groups, drawers are rows and the nodes of a drawer are columns. Links are green within a row, blue
between groups, and black between rows, where DragonView has columns and a Power 775 connects all nodes. Source:
DragonView, LLNL, its CSV of links.
"""

import csv
import io

import numpy as np

from core.export_result import Exported
from core.load.evaluate import LoadReport
from core.network import Percs
from core.spec import SpecError

COLUMNS = ("sg", "sr", "sc", "dg", "dr", "dc", "color", "bytes")
COLOURS = {"LL": "g", "LR": "k", "D": "b"}


def dragonview_csv(report: LoadReport) -> Exported:
    """Return the load of every directed link.

    Raises SpecError: for networks without groups, rows and columns, or if volumes are messages instead of bytes.
    """
    network, spec = report.case.network, report.case.network.spec
    if not isinstance(spec, Percs):
        raise SpecError("network", "has no groups, rows and columns for DragonView; choose a Power 775")
    if network.plain is not None:
        raise SpecError("network", "has added cables, which DragonView cannot show; remove them")
    if not report.case.job.measure.timed:
        raise SpecError("job.unit", "counts messages, but DragonView needs bytes")
    shape = spec.supernodes, spec.drawers, spec.nodes_per_drawer
    ends = (*np.unravel_index(network.src, shape), *np.unravel_index(network.dst, shape))
    colours = np.array([COLOURS[link_class.name] for link_class in network.classes])[network.class_of]
    sent = np.rint(report.total_load * 1e9).astype(np.int64)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows(zip(*(column.tolist() for column in (*ends, colours, sent)), strict=True))
    return Exported(text.getvalue())
