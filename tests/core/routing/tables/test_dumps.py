"""Readers of forwarding tables: three forms with one content, and lines that are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats import recognised
from core.routing.tables.dumps import read_tables
from core.routing.tables.forwarding import NO_PORT
from core.spec import SpecError
from tests.core.routing.tables.fabrics import text_of
from tests.core.routing.tables.test_scheme import TREE

FORMS = {"opensm-lfts.dump": "opensm-lfts", "opensm.fdbs": "opensm-fdbs", "dump_fts.txt": "dump-fts"}
HEADING = "Unicast lids [0-9] of switch Lid 2 guid 0x2a ('s'):\n"


def read(folder, text):
    (folder / "t.dump").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_tables(folder / "t.dump")


@pytest.mark.parametrize("name", FORMS)
def test_all_forms_of_a_fabric_have_the_same_ports(name):
    tables, expected = read_tables(TREE / name), read_tables(TREE / "opensm-lfts.dump")
    np.testing.assert_array_equal(tables.guids, expected.guids)
    # opensm.fdbs has no paths from a switch to the switches of its level.
    given = tables.ports != NO_PORT
    np.testing.assert_array_equal(tables.ports[given], expected.ports[given])
    assert np.count_nonzero(given) == (180 if "fdbs" not in name else np.count_nonzero(expected.ports != NO_PORT))
    assert recognised((TREE / name).read_bytes()[:4096]).id == FORMS[name]


@given(
    st.dictionaries(st.integers(1, 2**64 - 1), st.dictionaries(st.integers(1, 0xBFFF), st.integers(0, 254)), min_size=1)
)
def test_any_tables_are_read_as_they_were_written(empty_folder, tables):
    ports = read(empty_folder(), text_of(tables))
    assert ports.guids.tolist() == sorted(tables)
    for guid, row in zip(ports.guids.tolist(), ports.ports, strict=True):
        assert {lid: int(row[lid]) for lid in np.flatnonzero(row != NO_PORT).tolist()} == tables[guid]


@pytest.mark.parametrize(
    "row", ["0x0005 012", "  0x5\t12 # x", "0x0005 012 : (Channel Adapter", "0x0005 : 012 : 02 : yes", "0X0005 : 12"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_rows_of_all_forms(tmp_path, row, end):
    tables = read(tmp_path, HEADING + row + end)
    assert tables.ports[0].tolist() == [NO_PORT] * 5 + [12]
    assert tables.names == ("s",)


@pytest.mark.parametrize("row", ["0x0005 : UNREACHABLE", "0x0005 255"])
def test_lids_without_a_port(tmp_path, row):
    assert read(tmp_path, HEADING + row).ports[0, 5] == NO_PORT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no switch; give the dump of forwarding tables"),
        ("0x0005 012\n" + HEADING, "line 1: is a row before the heading of any switch"),
        (HEADING + "0x0005 012\n0x0005 013\n", "line 2: gives port 12 for LID 0x0005 of a switch that has port 13"),
        (HEADING + "\n0x0005 0x12\n", "line 3: '0x0005 0x12' is not a row"),
        (HEADING + "0x0005\n", "line 2: '0x0005' is not a row"),
        (HEADING + "0x00g5 012\n", "line 2: '0x00g5 012' is not a row"),
        (HEADING + "0x0005 256\n", "line 2: port 256 is above 254, the last port"),
        (HEADING + "0x0005 99999999999999999999\n", "line 2: port 1,048,576 is above 254"),
        (HEADING + "0x0000 001\n", "line 2: LID 0x0000 is not a unicast LID"),
        (HEADING + "0xc000 001\n", "line 2: LID 0xc000 is not a unicast LID, which are 0x0001 to 0xbfff"),
        (HEADING + "Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0x2a (s):\n", "begins a multicast table"),
        (HEADING + "Unicast lids of switch Lid 2\n", "line 2: 'Unicast lids of switch Lid 2' is not a row"),
        (HEADING + "0x0005 012 \x00\n0x6 \x00\n", "line 3: '0x6 \\x00' is not a row"),
    ],
)  # fmt: skip
def test_lines_that_are_not_understood_are_refused(tmp_path, text, words):
    with pytest.raises(SpecError) as refused:
        read(tmp_path, text)
    assert words in str(refused.value)


def test_messages_between_rows_are_skipped_with_a_note(tmp_path):
    tables = read(tmp_path, "ibwarn: [1] timed out\n" + HEADING + "0x0005 012\n")
    assert tables.ports[0, 5] == 12
    assert tables.warnings == (
        "skips 1 line not understood, such as messages on standard error: line 1 'ibwarn: [1] timed out'",
    )
