"""Mapping files of launchers and partitioners, one module per format."""

from pathlib import Path

from core.filekind import BINARY, JSON, START, refusal
from core.formats import AUTO, by_ending, by_first_lines, read_of, recognised
from core.mapping.formats.ranks import FIELD, LaunchNodes, RankPlacement, check_lines, lines_of, slots_of_ranks, wrong
from core.mapping.mapping import Mapping, cores_in
from core.spec import parsing, path_in_folder, text_of

FORMATS = read_of("mapping")
MAX_BYTES = 64 << 20
EXPECTED = "give a launcher's rankfile, hostfile, rank order or map, or a list of slots"
NAMED = "numbers are read as host names; choose the format permutation to read them as slots"


def read_mapping(name: str | None, folder: Path | None, form: str, machine: LaunchNodes) -> Mapping:
    """Read the mapping in the file `name` of `folder`; "auto" detects the format.

    Raises SpecError: if the file is missing, too large or invalid; the message says where.
    """
    path = path_in_folder(FIELD, name, folder, MAX_BYTES)
    with parsing(FIELD, path, "a mapping"):
        form_id = _format_of(path) if form == AUTO else form
        named = form == AUTO and form_id == "permutation" and "".join(machine.network.hosts[:1]).isdigit()
        form_id = "slurm-hostfile" if named else form_id
        text = text_of(FIELD, path).replace("\r\n", "\n").replace("\r", "\n")
        check_lines(text, machine)
        ranks: RankPlacement = FORMATS[form_id].read(text, machine)
        once = len(set(ranks.host)) == len(ranks.host) and not {"*", ","} & set(text)
        if form == AUTO and form_id == "slurm-hostfile" and once and len(ranks.host) < machine.tasks:
            form_id = "hostfile"  # hosts that are too few for the ranks, without slots
            ranks = FORMATS[form_id].read(text, machine)
        slots = slots_of_ranks(ranks, machine)
    warnings = ranks.warnings + (NAMED,) * named
    sets = ranks.core_sets[: slots.size]
    each = max((cores_in(cores) for cores in sets), default=1)
    return Mapping(slots, machine.network.slots_per_node, warnings, FORMATS[form_id].title, max(each, 1), sets)


def _format_of(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(START)
    if path.name.startswith("MPICH_RANK_ORDER"):
        return "mpich-rank-order"
    form = by_ending(path.name, "mapping") or recognised(start)
    if form is not None and form.part == "mapping":
        return form.id
    why = refusal(start, path.name, EXPECTED)
    if why and BINARY not in why and JSON not in why:  # the message about a mostly textual file names the line
        raise wrong(why)
    text = "\n".join(
        line for _, line in lines_of(start.decode("utf-8-sig", "replace").replace("\r", "\n"), "#", "//", "%")
    )
    form = by_first_lines("mapping", text)
    return form.id if form is not None else "slurm-hostfile"
