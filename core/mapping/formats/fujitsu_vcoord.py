"""Fujitsu's vcoordfile: the coordinates ``(x,y,z)`` of rank 0, of rank 1, ..., up to three numbers, x slowest.

Used by ``mpiexec --vcoordfile FILE``. Missing dimensions are 0; a trailing ``core=N`` is ignored.
Source: job scripts on Fugaku.
"""

import re

from core.export_result import Exported
from core.mapping.formats.coordinates import check_inside, lattice_shape, node_at, places_of
from core.mapping.formats.placement import NAMES, Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, ignored_notes, lines_of, shown, wrong

LINE = re.compile(r"\(\s*(\d{1,9}(?:\s*,\s*\d{1,9}){0,2})\s*\)(?:\s+(core\s*=\s*\S+))?")
AXES = "xyz"


def read_vcoord(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a vcoordfile.

    Raises SpecError: naming the invalid line.
    """
    places: list[list[int]] = []
    lines: list[int] = []
    cores: list[str] = []
    shape: tuple[int, ...] = ()
    for line, words in lines_of(text, "#"):
        match = LINE.fullmatch(words)
        if match is None:
            raise at_line(line, f'"{shown(words)}" is not a place; write (x,y,z), with one to three numbers')
        place = [int(number) for number in match[1].split(",")]
        shape = shape or lattice_shape(machine.network, len(place))
        if len(place) != len(shape):
            raise at_line(line, f"{len(place)} coordinates; line {lines[0]} has {len(shape)}")
        check_inside(line, place, shape, AXES[: len(shape)], "the shape")
        places.append(place)
        lines.append(line)
        cores += [match[2]] * bool(match[2])
    if not places:
        raise wrong("has no coordinates")
    return RankPlacement(
        node_at(places, shape),
        line=lines,
        place=lambda rank: f"({','.join(map(str, places[rank]))})",
        warnings=ignored_notes(cores),
    )


def write_vcoord(placed: Placed) -> Exported:
    """Return the coordinates of each rank, one per dimension of the network.

    Raises SpecError: if the network is not a lattice, or has more dimensions.
    """
    rows = places_of(placed, 3, padded=False).tolist()
    return Exported(lines([f"({','.join(map(str, row))})" for row in rows]), (NAMES, *placed.lost_cores))
