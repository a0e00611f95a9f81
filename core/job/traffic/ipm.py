"""IPM's map_data.txt: a heading, then a line for each pair of ranks with the bytes sent in both directions.

Source: IPM, etc/ipm_parse and src/report_xml_atroot.c: data_tx goes from irank to jrank, data_rx back.
"""

from pathlib import Path

from core.job.traffic.pairs import ParsedTraffic, TaskPairVolumes, at_line, is_whole, text_of, wrong

HEADING = ("region", "irank", "jrank", "data_tot", "data_tx", "data_rx", "nmsg_tx", "nmsg_rx")


def read_ipm(path: Path) -> ParsedTraffic:
    """Read the bytes between ranks, and the number of ranks.

    Raises SpecError: naming the invalid line.
    """
    pairs, tasks = TaskPairVolumes(), 0
    for number, line in enumerate(text_of(path).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != len(HEADING):
            raise at_line(number, f"{len(words)} fields; the heading has {len(HEADING)}")
        bad = next((word for word in words[1:] if not is_whole(word, 1 << 62)), None)
        if bad is not None:
            raise at_line(number, f"{bad[:40]!r} is not a whole number")
        i, j, total, forth, back = map(int, words[1:6])
        if forth + back != total:
            raise at_line(number, f"data_tx + data_rx is {forth + back}, but data_tot is {total}")
        tasks = max(tasks, i + 1, j + 1)
        pairs.add(i, j, float(total if i == j else forth))
        if i != j:
            pairs.add(j, i, float(back))
    if not tasks:
        raise wrong("has no pairs of ranks")
    return ParsedTraffic(pairs.flows(), tasks)
