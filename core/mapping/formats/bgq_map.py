"""Blue Gene's mapping file: coordinates and core of rank 0, of rank 1, ...: ``A B C D E T``, on /L and /P ``X Y Z T``.

Used by ``runjob --mapping FILE``. Coordinates are on a torus, A slowest; missing dimensions are 0. Source: the readers
of rubik and boxfish.
"""

import numpy as np

from core.export_result import Exported
from core.mapping.formats.coordinates import check_inside, lattice_shape, node_at, places_of
from core.mapping.formats.placement import NAMES, Placed, lines
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, number_in, shown, wrong

AXES = {6: "ABCDET", 4: "XYZT"}


def read_bgq_map(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a mapping file.

    Raises SpecError: naming the invalid line.
    """
    places: list[list[int]] = []
    lines: list[int] = []
    shape: tuple[int, ...] = ()
    for line, words in lines_of(text, "#"):
        place = [_number(line, word) for word in words.split()]
        if not places:
            if len(place) not in AXES:
                raise at_line(line, f"{len(place)} numbers; give A B C D E T, or X Y Z T")
            shape = (*lattice_shape(machine.network, len(place) - 1), int(machine.network.host_slots.room.max()))
        if len(place) != len(shape):
            raise at_line(line, f"{len(place)} numbers; line {lines[0]} has {len(shape)}")
        check_inside(line, place, shape, AXES[len(shape)], "the network")
        places.append(place)
        lines.append(line)
    if not places:
        raise wrong("has no coordinates")
    nodes = node_at([place[:-1] for place in places], shape[:-1])
    return RankPlacement(nodes, [place[-1] for place in places], lines, lambda rank: " ".join(map(str, places[rank])))


def _number(line: int, word: str) -> int:
    number = number_in(word)
    if number is None:
        raise at_line(line, f'"{shown(word)}" is not a coordinate')
    return number


def write_bgq_map(placed: Placed) -> Exported:
    """Return five coordinates and the core of each rank.

    Raises SpecError: if the network is not a lattice, or has more dimensions.
    """
    rows = np.column_stack([places_of(placed, 5), placed.core])
    return Exported(lines([" ".join(map(str, row)) for row in rows.tolist()]), (NAMES, *placed.lost_core_sets))
