"""Loads of links as tables in several formats; named formats, and the parts of a scenario that they contain."""

import csv
import io
from dataclasses import replace
from zipfile import ZipFile

import numpy as np
import pytest
from msgspec import structs

from core.files import write_links
from core.files.digest import source_of
from core.files.export import export, format_of, kinds
from core.files.links import BRIEF, COLUMNS
from core.formats import recognised, written_of
from core.job import Flows
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import FatTree, LinkFault, Percs, Torus
from core.routing import DimensionOrder, Minimal, PercsDirect
from core.spec import SpecError


@pytest.fixture(scope="module")
def report():
    job = Flows(tasks=4, src=(0, 1), dst=(2, 3), volume=(30.0, 1.0), unit="MB")
    return evaluate(Scenario(FatTree(2, 2, host_gbs=3.0), job, Sequential(), Minimal()).build())


def table(report, kind):
    content = export(report.case, kind, evaluated=lambda case: report).content
    if kind == "links-npz":
        with np.load(io.BytesIO(content)) as arrays:
            return {name: arrays[name].tolist() for name in arrays.files}
    if kind == "links-parquet":
        import pyarrow.parquet as pq

        return pq.read_table(io.BytesIO(content)).to_pydict()
    rows = list(csv.DictReader(io.StringIO(content)))
    kind_of = {"src": int, "dst": int, "class": str}
    return {name: [kind_of.get(name, float)(row[name]) for row in rows] for name in rows[0]}


@pytest.mark.parametrize("kind", [kind for kind in written_of("loads") if kind.startswith("links-")])
def test_every_table_of_links_has_the_same_columns(report, kind):
    columns, network = table(report, kind), report.case.network
    assert tuple(columns) == COLUMNS
    assert (columns["src"], columns["dst"]) == (network.src.tolist(), network.dst.tolist())
    assert columns["class"] == [network.classes[c].name for c in network.class_of]
    assert columns["bandwidth"] == network.gbs.tolist()
    assert columns["load"] == (report.load * 1000).tolist()
    assert columns["utilisation"] == report.utilisation.tolist()
    assert max(columns["load"]) == 31.0  # both flows use one of the links between the switches


FAULTY = Scenario(
    Torus((3,), gbs=8.0), Flows(tasks=3, src=(0, 1), dst=(1, 2), volume=(1.0, 1.0), unit="GB"), Sequential(),
    DimensionOrder(), faults=(LinkFault(0, 1, speed=0.5), LinkFault(0, 2)),
)  # fmt: skip


@pytest.mark.parametrize("kind", ["links-csv", "links-npz", "links-parquet"])
def test_slow_and_failed_links_have_their_remaining_bandwidth(kind):
    report = evaluate(FAULTY.build())
    columns = table(report, kind)
    left = {(src, dst): gbs for src, dst, gbs in zip(columns["src"], columns["dst"], columns["bandwidth"], strict=True)}
    assert left == {(0, 1): 4.0, (1, 0): 4.0, (0, 2): 0.0, (2, 0): 0.0, (1, 2): 8.0, (2, 1): 8.0}
    for load, gbs, utilisation in zip(columns["load"], columns["bandwidth"], columns["utilisation"], strict=True):
        assert load == pytest.approx(utilisation * gbs * report.time)


@pytest.mark.parametrize("kind", ["edge-list", "graphml", "dot", "simgrid-xml", "booksim-anynet", "sst-json"])
def test_lost_faults_of_a_network_are_reported(kind):
    case = FAULTY.build()
    assert "the faults: 2 links failed, 2 links slow" in export(case, kind, "network").losses
    assert not any("fault" in loss for loss in export(replace(FAULTY, faults=()).build(), kind, "network").losses)


def test_dragonview_has_groups_rows_and_columns(report):
    job = Flows(tasks=128, src=(0, 0), dst=(9, 127), volume=(3.0, 5.0), unit="KB")
    case = Scenario(Percs(2, 4, slots_per_node=2), job, Sequential(), PercsDirect()).build()
    content = export(case, "dragonview-csv").content
    assert content.startswith("sg,sr,sc,dg,dr,dc,color,bytes\n")
    rows = [line.split(",") for line in content.splitlines()[1:] if not line.endswith(",0")]
    # Task 9 is on node 4 of the first drawer, to which only links of the drawer lead.
    assert sum(int(row[7]) for row in rows if row[3:7] == ["0", "0", "4", "g"]) == 3000
    assert sum(int(row[7]) for row in rows if row[6] == "b") == 5000
    black = {(row[0] == row[3], row[1] == row[4]) for row in rows if row[6] == "k"}
    assert black == {(True, False)}
    with pytest.raises(SpecError, match="network: has no groups, rows and columns"):
        export(report.case, "dragonview-csv")
    with pytest.raises(SpecError, match=r"job\.unit: counts messages, but DragonView needs bytes"):
        export(replace(case.scenario, job=structs.replace(job, unit="messages")).build(), "dragonview-csv")


def test_the_brief_table_is_the_same_without_bandwidths(report, tmp_path):
    write_links(tmp_path / "links.csv", report)
    with (tmp_path / "links.csv").open(newline="") as text:
        rows = list(csv.reader(text))
    full = table(report, "links-csv")
    assert tuple(rows[0]) == BRIEF
    assert [[row[0], float(row[3])] for row in rows[1:]] == [
        [str(src), load] for src, load in zip(full["src"], full["load"], strict=True)
    ]


def test_a_missing_package_is_one_line(report, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(SpecError) as refused:
        table(report, "links-parquet")
    assert str(refused.value) == (
        "links-parquet: requires the package pyarrow; run pip install 'fabriscope[parquet]' or pip install pyarrow"
    )


def test_a_format_of_several_parts_exports_the_first_by_default(report):
    assert kinds()["metis-graph"] == ("job", "network")
    source = f"% {source_of(report.case.scenario)}\n"
    assert export(report.case, "metis-graph").content.startswith(f"{source}4 2 001\n")
    assert export(report.case, "metis-graph", "network").content.startswith(f"{source}8 8\n")
    with pytest.raises(SpecError, match="--of: dot holds the network, not the job"):
        export(report.case, "dot", "job")
    with pytest.raises(SpecError, match="--to: unknown format 'dots'; did you mean dot"):
        format_of("dots")


TREE = Scenario(FatTree(2, 2), Flows(tasks=4, src=(0, 1), dst=(2, 3), volume=(3.0, 1.0)), Sequential(), Minimal())
WITH_COORDINATES = {"vcoord": replace(TREE, network=Torus((4, 4)))}
COMMENTED = [(kind, part) for kind, parts in kinds().items() for part in parts if format_of(kind, part).comment]


@pytest.mark.parametrize(("kind", "part"), COMMENTED)
def test_a_file_names_its_source_once_and_is_recognised_without_it(kind, part):
    scenario, form = WITH_COORDINATES.get(kind, TREE), format_of(kind, part)
    content, comment = export(scenario.build(), kind, part).content, form.comment.format(source_of(scenario))
    assert content.count(comment) == 1
    assert comment in content.split("\n")[:2]
    bare = content.replace(f"{comment}\n", "")
    assert recognised(content.encode()) == recognised(bare.encode())


def test_tables_name_their_source_in_their_metadata(report):
    import pyarrow.parquet as pq

    source = source_of(report.case.scenario).encode()
    table = pq.read_schema(io.BytesIO(export(report.case, "links-parquet", evaluated=lambda case: report).content))
    assert table.metadata[b"fabriscope"] == source
    archive = export(report.case, "links-npz", evaluated=lambda case: report).content
    assert ZipFile(io.BytesIO(archive)).comment == source
