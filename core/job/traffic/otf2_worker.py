"""Reads an OTF2 trace in a separate process, since the C library may crash on malformed files.

Writes JSON to standard output: the number of ranks, the bytes between ranks, and the numbers of ignored events.
"""

import json
import sys
from collections import Counter

import otf2
from otf2.enums import GroupType
from otf2.events import MpiCollectiveEnd, MpiIsend, MpiSend


def read(path: str) -> dict[str, object]:
    """Read the bytes between the ranks of a trace."""
    sent, others = Counter[tuple[int, int]](), Counter[str]()
    with otf2.reader.open(path) as trace:
        # The members of this group are the ranks in order. The threads of a rank are in its location group.
        groups = [group for group in trace.definitions.groups if group.group_type == GroupType.COMM_LOCATIONS]
        ranks = {member.group: rank for rank, member in enumerate(groups[0].members)} if groups else {}
        for location, event in trace.events:
            if isinstance(event, MpiCollectiveEnd):
                others["collectives"] += 1
            if not isinstance(event, MpiSend | MpiIsend):
                continue
            group = getattr(event.communicator, "group", None)  # inter-communicators have none
            members = group.members if group is not None else ()
            if (
                location.group not in ranks
                or event.receiver >= len(members)
                or members[event.receiver].group not in ranks
            ):
                others["unknown"] += 1
            else:
                sent[ranks[location.group], ranks[members[event.receiver].group]] += event.msg_length
    return {"ranks": len(ranks), "sent": [[*ends, size] for ends, size in sent.items()], **others}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(read(sys.argv[1])))
