"""Open MPI's sequential hostfile: a line for each rank with its host and, optionally, its cores: ``n001 0-3``.

Used by ``mpirun --map-by seq --hostfile FILE``, before Open MPI 4.1 ``mpirun --mca rmaps seq --hostfile FILE``. LSF's
LSB_AFFINITY_HOSTFILE has the same form, with NUMA nodes and a memory policy after the cores. Source: PRRTE's
rmaps_seq.c; Open MPI 4.1's mpirun(1).
"""

from core.mapping.formats.core_sets import RankLine, on_cores
from core.mapping.formats.openmpi_hosts import host_in_file, login_notes
from core.mapping.formats.ranks import LaunchNodes, RankPlacement, at_line, lines_of, shown, wrong
from core.text import examples

COLUMNS = 4
"""Host, cores, NUMA nodes and memory policy."""


def read_sequence(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a sequential hostfile; lines beyond the number of tasks are not used.

    Raises SpecError: naming the invalid line.
    """
    ranks: list[RankLine] = []
    logins: list[str] = []
    memory: list[str] = []
    for number, words in lines_of(text, "#"):
        host, *more = words.split()
        if len(more) >= COLUMNS or "=" in words:
            raise at_line(number, f'"{shown(words)}" is not a host and its cores; write one host per line')
        logins += [host] * ("@" in host)
        memory += [" ".join(more[1:])] * (len(more) > 1)
        ranks.append(RankLine(number, host_in_file(number, host, machine), more[0] if more else "*"))
    if not ranks:
        raise wrong("has no hosts")
    used = ranks[: machine.tasks]
    if all(rank.cores == "*" for rank in used):
        placed = RankPlacement([rank.host for rank in used], line=[rank.line for rank in used])
    else:
        placed = on_cores(used, machine)
    notes = (f"NUMA nodes and memory policies are ignored ({examples(memory)})",) * bool(memory)
    return placed._replace(warnings=(*placed.warnings, *notes, *login_notes(logins)))
