"""Files of other tools are imported and exported; an error is one line."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMainWindow

from app.actions.exchange import ANY
from app.actions.file_commands import FileCommands
from app.model.state_groups import ComparisonMode
from core.counters.measured import Measured
from core.figures.notes import notes_of
from core.files import read_scenario, write_scenario
from core.files.digest import source_of
from core.files.export import kinds
from core.job import AllToAll, Flows, Halo, Nccl
from core.load.scenario import Scenario
from core.mapping import FromFile, Logged, Random, Sequential
from core.network import Edges, LinkFault, Rail, Torus
from core.routing import DimensionOrder, Minimal, Tables
from core.routing.tables.engines import ENGINES
from tests.core.job.nccl.logs import Made, text

SCENARIO = Scenario(Torus((2, 2)), Halo(2, 2), Random(seed=3), DimensionOrder())
RING = "".join(f"n{k} n{(k + 1) % 4} 5\n" for k in range(4))
RANKS = "rank 0=n0 slot=0\nrank 1=n2 slot=0\nrank 2=n3 slot=0\nrank 3=n1 slot=0\n"


@pytest.fixture
def files(session_of, settings, qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    return FileCommands(session_of(SCENARIO), settings, window, lambda view: (view,))


@pytest.fixture
def answered(monkeypatch):
    """Answer the dialogs for files."""

    def answer(path, kind=ANY, *others):
        names = [str(each) for each in (path, *others)]
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *arguments: (names, kind))
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), kind))

    return answer


def test_network_is_imported_and_other_choices_are_adapted(files, tmp_path, answered):
    (tmp_path / "ring.txt").write_text(RING)
    answered(tmp_path / "ring.txt")
    files.exchange.ask_import()
    state = files.session.state
    assert state.error is None
    assert state.wanted.network == Edges(file=str(tmp_path / "ring.txt"))
    assert state.evaluation.case.network.host_names == ("n0", "n1", "n2", "n3")
    assert state.wanted.routing != DimensionOrder()
    files.session.editing.undo()
    assert files.session.state.wanted == SCENARIO


def test_a_job_and_a_mapping_are_imported(files, tmp_path, answered):
    (tmp_path / "job.goal").write_text("num_ranks 3\nrank 0 {\nsend 4b to 2\n}\n")
    answered(tmp_path / "job.goal")
    files.exchange.ask_import()
    assert files.session.state.wanted.job == Flows(file=str(tmp_path / "job.goal"))
    assert files.session.state.evaluation.case.job.tasks == 3
    (tmp_path / "ranks.txt").write_text("rank 0=n3 slot=0\nrank 1=n1 slot=0\nrank 2=n0 slot=0\n")
    answered(tmp_path / "ranks.txt")
    files.exchange.ask_import()
    assert files.session.state.evaluation.case.mapping.slots.tolist() == [3, 1, 0]


@pytest.fixture
def unit_answered(monkeypatch):
    """Answer the question for the unit of volumes; None cancels. Return the questions asked."""
    asked = []

    def answer(unit):
        def get_item(parent, title, text, units, current, editable):
            asked.append((text, units[current]))
            return (unit or units[current], unit is not None)

        monkeypatch.setattr(QInputDialog, "getItem", get_item)
        return asked

    return answer


@pytest.mark.parametrize("unit", ["bytes", "KB", "MB", "GB", "messages"])
def test_unit_of_volumes_is_asked_once_and_stored_in_the_scenario(files, tmp_path, unit_answered, unit):
    (tmp_path / "cg.csv").write_text("0,1024,3\n0,0,7\n5,0,0\n")
    asked = unit_answered(unit)
    files.exchange.take([tmp_path / "cg.csv"], "job")
    asks = "cg.csv has 4 volumes without a unit (largest: 1,024).\nChoose the unit:"
    assert asked == [(asks, "bytes")]
    state = files.session.state
    assert state.wanted.job == Flows(file=str(tmp_path / "cg.csv"), unit=unit)
    assert state.error is None
    job = state.evaluation.case.job
    assert job.measure.converted(job.volume) == pytest.approx(1039)
    assert not job.unit_assumed
    files.session.editing.undo()
    assert files.session.state.wanted == SCENARIO
    assert len(asked) == 1


def test_file_chosen_in_the_form_asks_for_its_unit_and_keeps_other_fields(files, tmp_path, unit_answered):
    (tmp_path / "cg.csv").write_text("0,1024,3\n0,0,7\n5,0,0\n")
    asked = unit_answered("KB")
    before = Flows(src=(0,), dst=(1,), volume=(1.0,), tasks=9, scale=2.0, unit="MB")
    files.exchange.take_into("job", tmp_path / "cg.csv", before)
    assert len(asked) == 1
    assert files.session.state.wanted.job == Flows(file=str(tmp_path / "cg.csv"), unit="KB", scale=2.0)


def test_cancelled_question_imports_nothing(files, tmp_path, unit_answered):
    (tmp_path / "cg.csv").write_text("0,1\n1,0\n")
    unit_answered(None)
    files.exchange.take([tmp_path / "cg.csv"], "job")
    assert files.session.state.wanted == SCENARIO
    assert files.session.state.error is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", "src,dst,bytes\n0,1,5\n"),
        ("m.csv", "Sender,Receiver,Messages,Volume (B)\n0,1,10,1000\n"),
        ("job.goal", "num_ranks 3\nrank 0 {\nsend 4b to 2\n}\n"),
    ],
)
def test_file_with_a_unit_is_imported_without_a_question(files, tmp_path, unit_answered, name, text):
    (tmp_path / name).write_text(text)
    asked = unit_answered(None)
    files.exchange.take([tmp_path / name])
    assert (files.session.state.wanted.job, asked) == (Flows(file=str(tmp_path / name)), [])


def test_unreadable_table_is_refused_without_a_question(files, tmp_path, unit_answered):
    (tmp_path / "m.csv").write_text("0,1\n1\n")
    asked = unit_answered(None)
    files.exchange.take([tmp_path / "m.csv"], "job")
    assert (files.session.state.error.field, asked) == ("job.file", [])


def test_user_can_choose_the_type_of_a_file(files, tmp_path, answered, unit_answered):
    unit_answered("GB")
    (tmp_path / "three.txt").write_text("0 1 5\n1 2 5\n")
    answered(tmp_path / "three.txt")
    files.exchange.ask_import()
    message = (
        "three.txt is ambiguous, with 3 columns of numbers; choose the type in File > Import: network, job or mapping"
    )
    assert files.session.state.error.message == message
    assert files.session.state.wanted == SCENARIO
    answered(tmp_path / "three.txt", "Job (*)")
    files.exchange.ask_import()
    assert files.session.state.evaluation.case.job.volume == 10
    answered("")
    files.exchange.ask_import()
    assert files.session.state.evaluation.case.job.volume == 10


def test_several_files_are_one_step(files, tmp_path):
    (tmp_path / "ring.txt").write_text(RING)
    (tmp_path / "job.goal").write_text("num_ranks 3\nrank 0 {\nsend 4b to 2\n}\n")
    files.exchange.take([tmp_path / "job.goal", tmp_path / "ring.txt"])
    wanted = files.session.state.wanted
    assert (type(wanted.network), type(wanted.job)) == (Edges, Flows)
    files.session.editing.undo()
    assert files.session.state.wanted == SCENARIO


@pytest.mark.parametrize("hosts", ["n[0-3]", "node[01,00]", None])
def test_ranks_of_a_log_are_on_its_hosts_if_the_network_has_them(files, tmp_path, hosts):
    (tmp_path / "nccl.log").write_text(text(Made(4, 2, per_host=2), "2.12"))
    network = Rail(units=1, servers=2, gpus=2, nics=2) if hosts else Torus((2, 2))
    names = hosts if hosts != "n[0-3]" else "n[0-1]"
    files.session.open(Scenario(network, AllToAll(4), Random(seed=3), Minimal(), hosts=names), None)
    files.exchange.take([tmp_path / "nccl.log"])
    state = files.session.state
    assert state.wanted.job == Nccl(log=str(tmp_path / "nccl.log"))
    if hosts == "node[01,00]":
        assert state.wanted.mapping == Logged()
        assert state.evaluation.case.mapping.slots.tolist() == [2, 3, 0, 1]
    else:
        assert state.wanted.mapping == Random(seed=3)
        assert any("ranks are not placed as in the log" in note for note in notes_of(state.report))
    files.session.editing.undo()
    assert files.session.state.wanted.job == AllToAll(4)


def test_a_log_and_its_fabric_are_imported_together(files, tmp_path):
    (tmp_path / "ring.txt").write_text("".join(f"node0{k} node0{(k + 1) % 4} 5\n" for k in range(4)))
    (tmp_path / "nccl.log").write_text(text(Made(4, 2, per_host=1), "2.12"))
    files.exchange.take([tmp_path / "nccl.log", tmp_path / "ring.txt"])
    state = files.session.state
    assert state.error is None
    assert (type(state.wanted.job), type(state.wanted.network)) == (Nccl, Edges)
    assert state.wanted.mapping == Logged()


def test_a_scenario_is_opened(files, tmp_path):
    path = tmp_path / "other.fabriscope.json"
    write_scenario(path, SCENARIO.with_choice("job", Halo(1, 4)))
    files.exchange.take([path])
    assert files.session.state.file.path == path
    assert files.session.state.wanted.job == Halo(1, 4)


def test_mapping_that_does_not_fit_is_refused_and_changes_nothing(files, tmp_path):
    (tmp_path / "ranks.txt").write_text(RANKS.replace("n3", "n9"))
    before = files.session.state.evaluation
    files.exchange.take([tmp_path / "ranks.txt"])
    assert files.session.state.error.field == "mapping.file"
    assert files.session.state.evaluation is before


def test_every_export_kind_is_offered_under_its_part(files):
    offered = files.exchange.offers()
    assert {offer.kind for offer in offered} == set(kinds())
    assert [offer.part for offer in offered if offer.kind == "metis-graph"] == ["job", "network"]


def test_export_is_written_and_reports_losses(files, tmp_path, answered):
    answered(tmp_path / "net", "metis-graph (*.graph)")
    files.exchange.ask_export("metis-graph", "network")
    source = source_of(files.session.state.evaluation.case.scenario)
    assert (tmp_path / "net.graph").read_text().startswith(f"% {source}\n4 4\n")
    message = files.parent.statusBar().currentMessage()
    assert message.startswith(f"Wrote {tmp_path / 'net.graph'}; lost: bandwidths, names, 4 parallel links")
    answered("")
    files.exchange.ask_export("dot", "network")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["net.graph"]


def test_impossible_export_reports_an_error(files):
    files.session.choose("network", Torus((4, 4), wrap=(True, False)))
    files.exchange.ask_export("scotch-target", "network")
    refusal = "scotch-target cannot be written: network: has no Scotch target"
    assert files.session.state.error.message.startswith(refusal)


def test_copied_rank_file_has_the_mapping_on_screen(files, tmp_path):
    files.exchange.copy_rankfile()
    text = QGuiApplication.clipboard().text()
    assert text.startswith(f"# {source_of(files.session.state.evaluation.case.scenario)}\nrank 0=n")
    assert files.parent.statusBar().currentMessage().startswith("Copied rank file with 4 ranks")
    (tmp_path / "ranks.txt").write_text(text)
    write_scenario(tmp_path / "s.fabriscope.json", SCENARIO.with_choice("mapping", FromFile(file="ranks.txt")))
    again = read_scenario(tmp_path / "s.fabriscope.json").build()
    assert again.mapping.slots.tolist() == files.session.state.evaluation.case.mapping.slots.tolist()


DEGRADED = Path(__file__).parents[2] / "data" / "infiniband" / "degraded"


@pytest.fixture
def fabric(files, tmp_path):
    """A fabric with the tables of OpenSM and a failed cable, which disconnects flows."""
    for name in ("ibnetdiscover.txt", "opensm-lfts.dump"):
        (tmp_path / name).write_text((DEGRADED / name).read_text())
    faults = (LinkFault("s1_0000 port 10", "s2_0001"),)
    routing = Tables(file="opensm-lfts.dump")
    scenario = Scenario(
        Edges(file="ibnetdiscover.txt"), AllToAll(64), Sequential(), routing, folder=tmp_path, faults=faults
    )
    files.session.open(scenario, tmp_path / "fabric.fabriscope.json")
    assert files.session.state.evaluation.report.disconnected
    return files


@pytest.mark.parametrize("engine", [engine.name for engine in ENGINES])
def test_routing_again_connects_flows_and_shows_the_difference(fabric, tmp_path, answered, engine):
    session = fabric.session
    before = session.state.evaluation
    answered(tmp_path / "new.lfts")
    fabric.exchange.route_again(engine)
    state = session.state
    assert state.error is None
    assert state.wanted.routing == Tables(file="new.lfts")
    assert state.wanted.faults == before.case.scenario.faults
    assert not state.evaluation.report.disconnected
    assert (state.comparison.reference, state.comparison.mode) == (before, ComparisonMode.DIFFERENCE)
    session.editing.undo()
    assert session.state.wanted.routing == Tables(file="opensm-lfts.dump")


def test_cancelling_the_dialog_keeps_the_routing(fabric, answered):
    before = fabric.session.state.evaluation
    answered("")
    fabric.exchange.route_again("sssp")
    assert fabric.session.state.evaluation is before
    assert fabric.session.state.comparison.reference is None


def test_an_engine_that_does_not_support_the_network_is_refused_in_a_line(files, answered, tmp_path):
    answered(tmp_path / "new.lfts")
    files.exchange.route_again("sssp")
    assert "forwarding tables need an InfiniBand fabric with LIDs" in str(files.session.state.error)
    assert not (tmp_path / "new.lfts").exists()


FABRIC = """Switch 2 "S-0000000000000001" # "s" enhanced port 0 lid 1 lmc 0
[1] "H-0000000000000010"[1](11) # "n0 HCA-1" lid 2 4xEDR
[2] "H-0000000000000020"[1](21) # "n1 HCA-1" lid 3 4xEDR

Ca 1 "H-0000000000000010" # "n0 HCA-1"
[1](11) "S-0000000000000001"[1] # lid 2 lmc 0 "s" lid 1 4xEDR

Ca 1 "H-0000000000000020" # "n1 HCA-1"
[1](21) "S-0000000000000001"[2] # lid 3 lmc 0 "s" lid 1 4xEDR
"""
COUNTERS = 'src,dst,bytes\n"(0,0)","(0,1)",{}\n"(0,1)","(0,0)",{}\n'


def test_counters_are_imported_and_keep_the_interval(files, tmp_path, answered):
    for name, amounts in (("first.csv", (1e9, 2e9)), ("second.csv", (3e9, 4e9))):
        (tmp_path / name).write_text(COUNTERS.format(*amounts))
    answered(tmp_path / "first.csv", "Counters (*)")
    files.exchange.ask_import()
    session = files.session
    assert session.state.error is None
    assert session.state.wanted.measured == Measured(after=str(tmp_path / "first.csv"))
    session.propose(replace(session.state.wanted, measured=Measured(after=str(tmp_path / "first.csv"), seconds=10)))
    answered(tmp_path / "second.csv", "Counters (*)")
    files.exchange.ask_import()
    assert session.state.wanted.measured == Measured(after=str(tmp_path / "second.csv"), seconds=10)
    assert np.nansum(session.state.measurement.comparison.measured) == pytest.approx(0.7)
    session.editing.undo()
    assert session.state.wanted.measured == Measured(after=str(tmp_path / "first.csv"), seconds=10)


@pytest.mark.parametrize("kind", [ANY, "Counters (*)"])
def test_several_files_of_counters_are_a_series_in_order_of_name(files, tmp_path, answered, kind):
    for second in (10, 9, 1):
        (tmp_path / f"c{second}.csv").write_text(COUNTERS.format(1e9 * second, 2e9 * second))
    c1, c9, c10 = (str(tmp_path / f"c{second}.csv") for second in (1, 9, 10))
    session = files.session
    session.propose(replace(session.state.wanted, measured=Measured(after=c1, seconds=30)))
    answered(tmp_path / "c10.csv", kind, tmp_path / "c1.csv", tmp_path / "c9.csv")
    files.exchange.ask_import()
    assert session.state.error is None
    assert session.state.wanted.measured == Measured(after=c10, before=c1, between=(c9,), seconds=30)
    message = files.parent.statusBar().currentMessage()
    assert message == "Counters in order of name: c1.csv before, c10.csv after, 1 file in between"
    assert session.state.undoes == "Import counters"
    session.editing.undo()
    assert session.state.wanted.measured == Measured(after=c1, seconds=30)


def test_times_in_files_of_counters_determine_their_order(files, tmp_path, answered):
    fabric = tmp_path / "ring.ibnetdiscover"
    fabric.write_text(FABRIC)
    metric = 'infiniband_switch_port_transmit_data_bytes_total{{guid="0x1",port="1"}} {} {}\n'
    for name, second in (("a.prom", 90), ("b.prom", 30), ("c.prom", 60)):
        (tmp_path / name).write_text(metric.format(second * 1000, second * 1000))
    files.exchange.take([fabric])
    files.session.propose(
        replace(files.session.state.wanted, measured=Measured(after=str(tmp_path / "a.prom"), seconds=5))
    )
    files.exchange.take([tmp_path / name for name in ("a.prom", "b.prom", "c.prom")])
    b, c, a = (str(tmp_path / f"{name}.prom") for name in "bca")
    assert files.session.state.refusal is None
    assert files.session.state.wanted.measured == Measured(after=a, before=b, between=(c,))
    assert files.session.state.evaluation.case.measured.seconds == 60
    message = files.parent.statusBar().currentMessage()
    assert message == "Counters in order of time: b.prom before, a.prom after, 1 file in between"


def test_counters_by_port_are_detected(files, tmp_path, answered):
    (tmp_path / "ports.csv").write_text("guid,port,xmit_bytes\n0x10,1,5\n")
    answered(tmp_path / "ports.csv")
    files.exchange.ask_import()
    assert files.session.state.wanted.measured == Measured(after=str(tmp_path / "ports.csv"))


def test_counters_of_another_machine_are_refused_in_one_line(files, tmp_path, answered):
    (tmp_path / "other.csv").write_text("src,dst,bytes\nx,y,5\n")
    answered(tmp_path / "other.csv", "Counters (*)")
    files.exchange.ask_import()
    state = files.session.state
    assert state.refusal.field == "measured.after"
    assert "x → y" in state.refusal.message
    assert "\n" not in state.refusal.message
    assert state.evaluation.case.measured is None
