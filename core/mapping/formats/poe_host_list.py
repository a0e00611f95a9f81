"""POE's host.list, for ``MP_HOSTFILE``: the host of rank 0, of rank 1, ..., each with up to two words on its use.

Source: IBM Parallel Environment, Operation and Use.
"""

from core.mapping.formats.ranks import HostsInOrder, LaunchNodes, RankPlacement, at_line, lines_of, shown

USES = ("shared", "dedicated", "unique", "multiple")


def read_poe_host_list(text: str, machine: LaunchNodes) -> RankPlacement:
    """Return the ranks of a host list.

    Raises SpecError: naming the invalid line.
    """
    hosts = HostsInOrder(machine)
    ignored: list[str] = []
    for number, words in lines_of(text, "!", "#"):
        host, *uses = words.split()
        if len(uses) > 2:
            raise at_line(number, "at most two words may follow the host")
        unknown = next((use for use in uses if use not in USES), None)
        if unknown is not None:
            raise at_line(number, f'"{shown(unknown)}" is not one of {", ".join(USES)}')
        ignored += uses
        hosts.add(number, host)
    return hosts.ranks(ignored)
