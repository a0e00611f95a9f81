"""Names of switches in their descriptions."""

import re
from collections import Counter
from collections.abc import Sequence

MANAGED = re.compile(r"MF0;(?P<host>[^\s;:]+):[^\s;:/]+/U\d+")
"""Description that the management software of NVIDIA switches sets: ``MF0;s1:MQM8700/U1`` for the switch s1.

Chips of modular switches, which share a host name, have their module, too: ``MF0;s1:CS7520/L01/U1``. They do not match.
"""


def with_host_names(names: Sequence[str]) -> list[str]:
    """Return the names of vertices, with the host names of managed switches where these are unique."""
    matches = [MANAGED.fullmatch(name) for name in names]
    hosts = [name if match is None else match["host"] for name, match in zip(names, matches, strict=True)]
    count = Counter(hosts)
    return [host if count[host] == 1 else name for host, name in zip(hosts, names, strict=True)]
