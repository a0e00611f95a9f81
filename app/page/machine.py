"""The machine of a page: its vertices, links, groups and names."""

import numpy as np
from numpy.typing import NDArray

from app.page.blobs import Blob, PageStruct, array_blob, rounded_blob, text_blob
from app.views.machine.geometry import MachineGeometry
from app.wording.names import member_label
from core.network.layout import Floats
from core.network.network import Network
from core.spec import SpecError

MAX_LINKS = 1_000_000
"""Maximum number of links of a machine in a page; a page of more would take seconds to draw."""
PART = 1 << 17
"""Links whose curves are computed at a time."""


class CurveData(PageStruct, frozen=True):
    """Directed curves between places."""

    src: Blob
    """(n,) place at the tail of each."""
    dst: Blob
    """(n,) place at its head."""
    step: float
    """The unit of `bends`, world units."""
    bends: Blob
    """(3 * dimensions, n): how far start, control and end are from the tail, the middle of both ends, and the head."""


class ClassData(PageStruct, frozen=True):
    """A link class."""

    name: str
    gbs: float
    first: int
    """First of its links, which are numbered consecutively."""
    end: int
    """Its last link plus 1."""


class MachineData(PageStruct, frozen=True):
    """A network as drawn."""

    nodes: int
    vertices: int
    dimensions: int
    """2 in the plane, 3 for a solid."""
    positions: Blob
    """(dimensions, vertices) world units, y upwards."""
    cell: tuple[float, float]
    """Width and height of a node's mark."""
    switch: tuple[float, float]
    bounds: tuple[list[float], list[float]]
    """Two opposite corners of the drawing."""
    classes: list[ClassData]
    links: CurveData
    names: Blob
    """(vertices,)"""
    near: bool
    circle: bool
    scattered: bool
    rows: bool
    """As `core.network.layout.Layout`."""
    group_of: Blob
    """(vertices,) group of the coarsest level, or -1."""
    boxes: Blob
    """(4, groups) centre x, y, width and height of each box; empty without boxes."""
    box_labels: Blob
    """(2, groups) where the name of each box is, outside the ring."""
    group_names: list[str]
    group_labels: list[str]
    bundles: CurveData
    """Bundles between boxes a < b; in `Layout.bundle_curves` order."""
    inner: Blob
    """(nodes,) group of the second level of each node; empty without boxes or a second level."""
    inner_labels: list[str]
    frame_reach: float
    """How far the frame of such a group extends beyond the centres of its nodes."""
    captions: list[tuple[str, float, float]]
    axes: list[tuple[str, int, int]]
    """Name, step and size of each dimension of a lattice."""
    ends: Blob | None = None
    """(links,) what follows the names of tail and head in a link's name: its ports, separated by a tab."""


def machine_data(geometry: MachineGeometry) -> MachineData:
    """Return the machine of a page.

    Raises SpecError: if it has too many links.
    """
    network, layout = geometry.network, geometry.layout
    if network.links > MAX_LINKS:
        raise SpecError("network", f"has {network.links:,} links; a page shows at most {MAX_LINKS:,}")
    dimensions = 3 if layout.solid else 2
    low, high = geometry.bounds
    boxed = len(layout.boxes)
    inner = network.levels[1] if boxed and len(network.levels) > 1 else None
    no_places = np.zeros(0, np.int32)
    return MachineData(
        nodes=network.nodes,
        vertices=network.vertices,
        dimensions=dimensions,
        positions=array_blob(layout.positions[:, :dimensions].T, "f4"),
        cell=_pair(layout.cell),
        switch=_pair(layout.switch or layout.cell),
        bounds=(low.tolist(), high.tolist()),
        classes=[ClassData(c.name, c.gbs, c.links.start, c.links.stop) for c in network.classes],
        links=_links(geometry, dimensions),
        names=text_blob(map(network.label, range(network.vertices))),
        near=layout.near,
        circle=layout.circle,
        scattered=layout.scattered,
        rows=layout.rows,
        group_of=array_blob(network.group_of if boxed else no_places, "i4", delta=True),
        boxes=array_blob(layout.boxes.T, "f4"),
        box_labels=array_blob(layout.box_labels.T, "f4"),
        group_names=[network.group_name(group) for group in range(boxed)],
        group_labels=[network.group_label(group) for group in range(boxed)],
        bundles=_bundles(geometry),
        inner=array_blob(no_places if inner is None else inner.group, "i4", delta=True),
        inner_labels=[] if inner is None else [member_label(network, 1, group) for group in range(inner.count)],
        frame_reach=geometry.frame_reach,
        captions=[(caption.text, *_pair(caption.at)) for caption in layout.captions],
        axes=[(axis.name, axis.step, axis.size) for axis in layout.axes],
        ends=_suffixes(network),
    )


def _pair(size: tuple[float, float]) -> tuple[float, float]:
    # Some layouts have numbers of numpy.
    return float(size[0]), float(size[1])


def _links(geometry: MachineGeometry, dimensions: int) -> CurveData:
    network, layout = geometry.network, geometry.layout
    parts = [np.zeros((0, 3, dimensions), np.float32)]
    for first in range(0, network.links, PART):
        ids = np.arange(first, min(first + PART, network.links))
        ends = network.src[ids], network.dst[ids]
        parts.append(_bends(layout.link_curves(ids, *ends), layout.positions, *ends)[..., :dimensions])
    return _curve_data(network.src, network.dst, np.concatenate(parts))


def _bundles(geometry: MachineGeometry) -> CurveData:
    layout = geometry.layout
    if not geometry.boxed:
        none = np.zeros(0, np.intp)
        return _curve_data(none, none, np.zeros((0, 3, 2), np.float32))
    a, b = geometry.pairs
    centres = geometry.box_centres.astype(np.float32)
    return _curve_data(a, b, _bends(layout.bundle_curves(a, b), centres, a, b)[..., :2])


def _bends(curves: Floats, places: Floats, src: NDArray[np.integer], dst: NDArray[np.integer]) -> Floats:
    start, end = places[src], places[dst]
    return np.asarray(curves - np.stack([start, (start + end) / 2, end], axis=1), np.float32)


def _curve_data(src: NDArray[np.integer], dst: NDArray[np.integer], bends: Floats) -> CurveData:
    step, blob = rounded_blob(np.moveaxis(bends, 0, -1))
    return CurveData(array_blob(src, "i4", delta=True), array_blob(dst, "i4", delta=True), step, blob)


def _suffixes(network: Network) -> Blob | None:
    ends = network.src.astype(np.int64) * network.vertices + network.dst
    if network.src_ports is None and np.unique(ends).size == network.links:
        return None
    tails, heads = network.src.tolist(), network.dst.tolist()
    names = map(network.link_ends, range(network.links))
    return text_blob(
        f"{leaves.removeprefix(network.label(src))}\t{reaches.removeprefix(network.label(dst))}"
        for (leaves, reaches), src, dst in zip(names, tails, heads, strict=True)
    )
