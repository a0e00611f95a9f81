"""Files of other tools are recognised by their content, and read as the choice that they hold."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.export import export
from core.files.recognise import SCENARIO, choice_of, imported
from core.files.scenario_file import read_scenario
from core.formats import written_of
from core.job import Flows, Halo, Nccl
from core.load.scenario import Scenario
from core.mapping import FromFile, Random, Sequential
from core.network import Edges, FatTree, Torus
from core.routing import Minimal, Tables
from core.spec import SpecError

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "formats"
FABRICS = Path(__file__).resolve().parents[2] / "data" / "infiniband"
SECTIONS = {"mappings": "mapping", "traffic": "job", "networks": "network"}


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples of other tools' files are not here")
def test_every_sample_is_recognised():
    expected = json.loads((SAMPLES / "expected.json").read_text())
    choices = {name: choice_of(SAMPLES / name) for section in SECTIONS for name in expected[section]}
    # Bare columns of METIS without weights: traffic of one message each, or a network.
    assert choices.pop("net.graph") == "network"
    assert choices == {
        name: choice for section, choice in SECTIONS.items() for name in expected[section] if name != "net.graph"
    }


def written(folder, name, text):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / name


@pytest.mark.parametrize("part", ["mapping", "job", "network"])
def test_exported_files_are_recognised(tmp_path, part):
    torus = Scenario(Torus((2, 3, 2, 1, 1)), Halo(3, 4), Random(seed=2), Minimal())
    cases = {False: torus.build(), True: Scenario(FatTree(2, 2), Halo(2, 2), Sequential(), Minimal()).build()}
    for kind, writer in written_of(part).items():
        try:
            content = export(cases["topology" in kind], kind, part).content
        except SpecError as error:  # a hostfile says nothing of other orders, vcoord has three dimensions
            assert kind in ("hostfile", "vcoord"), error  # noqa: PT017
            continue
        assert choice_of(written(tmp_path, f"a{writer.ending or '.txt'}", content)) == part, kind


@pytest.mark.parametrize(
    ("name", "text", "choice"),
    [
        ("a.json", '{"fabriscope": 1}', SCENARIO),
        ("a.json", "[[0, 4, 4]]", "mapping"),  # a taskmap that lacks a number is refused as one
        ("a.txt", "a b\nb c\n", "network"),
        ("a.txt", "# edges\n0 1\n1 2\n", "network"),
        ("a.csv", "src,dst,volume\n0,1,5\n", "job"),
        ("a.tsv", "from\tto\tbytes\tcount\n0\t1\t5\t1\n", "job"),
        ("a.csv", "Sender,Receiver,Messages,Volume (B)\n0,1,10,1000\n", "job"),
        ("a.txt", "src dst size [MB]\n0 1 5\n", "job"),
        ("a.txt", "0 1 2 3\n1 0 1 2\n2 1 0 1\n3 2 1 0\n", "job"),
        ("a.txt", "0 1 2 3\n1 0 1 2\n2 1 0 1\n", "mapping"),
        ("a.txt", "0,2\n1,3\n", "mapping"),
        ("a.csv", "0,2\n1,3\n", "network"),
        ("a.txt", "0\n2\n1\n", "mapping"),
        ("a.txt", "n1\nn2\nn1\n", "mapping"),
        ("a.csv", '"","P0","P1"\n"P0",0,10\n"P1",10,0\n', "job"),
        ("a.txt", "node15\nnode17 slots=3\n", "mapping"),
        ("a.txt", "alice@n1\n^n2\n", "mapping"),
        ("a.txt", "n1 shared multiple\nn1 shared multiple\n", "mapping"),
        ("a.txt", "LSB_MCPU_HOSTS='n1 2 n2 1'\n", "mapping"),
        ("a.txt", "(vector,(0,4,4))\n", "mapping"),
        ("a.txt", "0-3;4-7\n", "mapping"),
        ("a.txt", "I\t0\t1\t108 bytes\t27 msgs sent\n", "job"),
        ("a.npy", b"\x93NUMPY\x01\x00", "job"),
        ("a.graph", "2 1 001\n2 5\n1 5\n", "job"),
        ("a.graph", "% a path\n3 2\n2\n1 3\n2\n", "network"),
    ],
)
def test_columns_without_a_header_are_recognised(tmp_path, name, text, choice):
    assert choice_of(written(tmp_path, name, text)) == choice


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        ("tree/ibnetdiscover.txt", "network"),
        ("tree/opensm-lfts.dump", "routing"),
        ("tree/opensm.fdbs", "routing"),
        ("tree/dump_fts.txt", "routing"),
        ("degraded/opensm-lfts.dump", "routing"),
    ],
)
def test_files_of_an_infiniband_fabric_are_recognised(name, choice):
    assert choice_of(FABRICS / name) == choice


def test_forwarding_tables_are_a_routing():
    path = FABRICS / "tree" / "opensm.fdbs"
    assert imported(path, "routing", path.parent) == Tables(file="opensm.fdbs")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.txt", "0 1 5\n1 2 5\n", "a.txt is ambiguous, with 3 columns of numbers; specify network, job or mapping"),
        ("a.txt", "a b c d e\n", "a.txt is ambiguous, with 5 columns of words; specify network, job or mapping"),
        ("a.txt", "# nothing\n", "a.txt is empty"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "a.png is a PNG image, not a supported network, job or mapping file"),
        ("a.svg", "<svg/>", "a.svg is an SVG image, not a supported network, job or mapping file"),
    ],
)
def test_unrecognised_files_are_refused_in_one_line(tmp_path, name, text, words):
    with pytest.raises(SpecError) as refused:
        choice_of(written(tmp_path, name, text))
    assert refused.value.message == words


@given(
    st.sampled_from(("a.txt", "a.graph", "a.json", "a.csv", "MPICH_RANK_ORDER")),
    st.sampled_from((b"", b"{", b"<platform>", b"0 1\n", b"rank ", b"\xef\xbb\xbf", b"src,dst,volume\n")),
    st.binary(max_size=60) | st.text("0123456789 ,;\n#n", max_size=60).map(str.encode),
)
def test_any_file_is_recognised_or_refused_in_one_line(tmp_path_factory, name, start, rest):
    path = written(tmp_path_factory.mktemp("any"), name, start + rest)
    try:
        assert choice_of(path) in (SCENARIO, "network", "job", "mapping")
    except SpecError as error:
        assert "\n" not in error.message  # noqa: PT017


def test_a_missing_file_is_refused_in_one_line(tmp_path):
    with pytest.raises(SpecError, match=r"a\.txt cannot be read: No such file"):
        choice_of(tmp_path / "a.txt")


def test_files_get_the_names_that_a_scenario_can_use(tmp_path):
    path = written(tmp_path, "job.goal", "num_ranks 2\n")
    assert imported(path, "job", tmp_path) == Flows(file="job.goal")
    assert imported(path, "job", None) == Flows(file=str(path.resolve()))
    assert imported(written(tmp_path, "m.csv", "0 1\n1 0\n"), "job", tmp_path) == Flows(file="m.csv")
    assert imported(path, "network", tmp_path / "other") == Edges(file=str(path.resolve()))
    assert imported(path, "mapping", tmp_path) == FromFile(file="job.goal")


@pytest.mark.parametrize("before", ["", "{'model': 'gpt'}\n", "a b c\n", "0 1 2\n"])
def test_logs_are_recognised_wherever_their_lines_begin(tmp_path, before):
    progress = "".join(f"step {step}: loss {step / 7:.3f}\n" for step in range(60_000))
    assert len(progress) > (1 << 20)
    log = "n1:7:7 [0] NCCL INFO Channel 00/01 : 0 1\n"
    path = written(tmp_path, "job.out", before + progress + log)
    assert choice_of(path) == "job"
    assert imported(path, "job", tmp_path) == Nccl(log="job.out")
    if not before.startswith("0"):
        with pytest.raises(SpecError, match=r"it is a log of NCCL; import it as the job$"):
            read_scenario(path)


def test_a_text_is_found_across_blocks(tmp_path):
    path = written(tmp_path, "job.out", "x" * ((1 << 20) - 4) + "NCCL INFO Channel 00/01 : 0 1\n")
    assert choice_of(path) == "job"
