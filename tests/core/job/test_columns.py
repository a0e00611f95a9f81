"""Headers of traffic tables: units in the names of columns."""

import pytest

from core.job import Flows
from core.job.columns import Column
from core.spec import SpecError


@pytest.mark.parametrize(
    ("header", "singular", "volume"),
    [
        ("src,dst,Volume (B)", "byte", 5),
        ("src,dst,Volume(bytes)", "byte", 5),
        ("src,dst,size[MB]", "MB", 5),
        ("src,dst,size [kB]", "KB", 5),
        ("src,dst,volume_gb", "GB", 5),
        ("src,dst,size bytes", "byte", 5),
        ("src,dst,MB", "MB", 5),
        ("src,dst,Bytes (KB)", "KB", 5),
        ("src,dst,volume (TB)", "GB", 5000),
        ("src,dst,volume [KiB]", "byte", 5 * 1024),
        ("src,dst,volume (GiB)", "byte", 5 * 2**30),
        ("src,dst,volume (messages)", "message", 5),
        ("src dst volume (B)", "byte", 5),
        ("src,dst,Data [MB]", "MB", 5),
        ("src,dst,sent_bytes", "byte", 5),
        ("src;dst;volume (MB)", "MB", 5),
    ],
)
def test_the_unit_of_a_header_applies_to_the_volumes(tmp_path, header, singular, volume):
    mark = next((mark for mark in ";," if mark in header), " ")
    (tmp_path / "m.csv").write_text(f"{header}\n{mark.join('015')}\n")
    job = Flows(file="m.csv").build(tmp_path)
    assert (job.measure.singular, job.warnings) == (singular, ())
    assert job.measure.converted(job.volume) == pytest.approx(volume, rel=1e-15)


def test_the_unit_of_the_scenario_applies_to_the_numbers_of_the_file(tmp_path):
    (tmp_path / "m.csv").write_text("src,dst,volume (KiB)\n0,1,5\n")
    job = Flows(file="m.csv", unit="MB").build(tmp_path)
    assert job.measure.converted(job.volume) == pytest.approx(5)
    assert job.warnings == ("'m.csv' counts bytes; 1 is taken as 1 MB",)


@pytest.mark.parametrize(
    ("header", "row", "volume", "unread"),
    [
        ("Sender,Receiver,Messages,Volume (B)", "0,1,10,1000", 1000, "'Messages'"),
        ("src,dst,weight,messages,size[B]", "0,1,3,10,1000", 1000, "'weight', 'messages'"),
        ("src,dst,bytes,volume", "0,1,1000,7", 1000, "'volume'"),
        ("src,dst,messages,size", "0,1,10,1000", 10, "'size'"),
        ("src,dst,messages,Total volume,time", "0,1,10,1000,3", 10, "'Total volume'"),
        ("src,dst,messages,total_size [MB]", "0,1,10,1000", 10, "'total_size [MB]'"),
        ("src,dst,messages,sent bytes,received bytes", "0,1,10,9,9", 10, "'sent bytes', 'received bytes'"),
    ],
)
def test_a_column_in_bytes_is_preferred_and_other_volumes_are_reported(tmp_path, header, row, volume, unread):
    (tmp_path / "m.csv").write_text(f"{header}\n{row}\n")
    job = Flows(file="m.csv").build(tmp_path)
    assert job.measure.converted(job.volume) == pytest.approx(volume)
    assert any(f"ignored: {unread}" in warning for warning in job.warnings)


@pytest.mark.parametrize("unit", ["Mb", "Kb", "Gib", "packets"])
def test_an_unknown_unit_is_refused(tmp_path, unit):
    (tmp_path / "m.csv").write_text(f"src,dst,volume ({unit})\n0,1,5\n")
    with pytest.raises(SpecError, match=rf"unknown unit '{unit}'; units: B, bytes, KB, MB"):
        Flows(file="m.csv").build(tmp_path)


def test_a_name_without_a_unit_is_unchanged():
    assert Column.of("Messages") == Column("messages", "")
    assert Column.of("message size") == Column("message size", "")
    assert Column.of("b") == Column("b", "")


def test_several_columns_that_may_be_the_volume_are_refused(tmp_path):
    (tmp_path / "m.csv").write_text("src,dst,sent [MB],received [MB]\n0,1,5,6\n")
    with pytest.raises(
        SpecError, match=r"header 'src,dst,sent \[MB\],received \[MB\]' has no column for volume; names: "
    ):
        Flows(file="m.csv").build(tmp_path)
