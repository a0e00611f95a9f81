"""`optimise`: output, files, errors, and results after Ctrl-C."""

import json
import os
import pty
import re
import signal
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from app.cli.arguments import parse_choice, parse_tasks
from app.cli.main import main
from app.cli.optimise import gap_text
from app.cli.progress_line import CLEAR
from core.files import read_scenario, write_scenario
from core.job import Flows, Halo
from core.load.scenario import Scenario
from core.mapping import Explicit, Random, Sequential
from core.network import Edges, FatTree, NodeFault, Percs, Torus
from core.optimise.method import AnyMethod, Bottleneck
from core.optimise.objective import AnyObjective, Mix
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect
from core.spec import SpecError
from tests import patience
from tests.app.cli import program

SCENARIO = Scenario(Torus(dims=(4, 4), slots_per_node=2), Halo(rows=4, cols=6), Random(seed=1), DimensionOrder(), "why")
PERCS = Scenario(Percs(supernodes=4, d_links=2), Halo(rows=16, cols=24), Random(seed=2), PercsDirect())
KEYS = [
    "start_gbs",
    "throughput_gbs",
    "bound_gbs",
    "start_time",
    "time",
    "steps",
    "steps_per_second",
    "seconds",
    "seed",
]
LAST = ["restarts", "spread"]


@pytest.fixture
def example(tmp_path):
    return written(tmp_path, SCENARIO)


def written(folder, scenario):
    path = folder / "start.fabriscope.json"
    write_scenario(path, scenario)
    return path


def evaluation(capsys, *arguments):
    """The JSON object that a command prints, which must be its only output."""
    assert main([*map(str, arguments), "--json"]) == 0
    out, err = capsys.readouterr()
    assert (out.count("\n"), err) == (1, "")
    return json.loads(out)


@pytest.mark.parametrize("scenario", [SCENARIO, PERCS], ids=["torus", "percs"])
def test_json_has_these_keys_and_evaluate_confirms_the_file(scenario, tmp_path, capsys):
    path, out = written(tmp_path, scenario), tmp_path / "better.fabriscope.json"
    figures = evaluation(capsys, "optimise", path, "--steps", 3000, "--seed", 7, "--out", out)
    assert list(figures) == [*KEYS, *LAST]
    assert figures["start_gbs"] == evaluation(capsys, "evaluate", path)["throughput_gbs"]
    assert figures["throughput_gbs"] == evaluation(capsys, "evaluate", out)["throughput_gbs"]
    assert figures["start_gbs"] < figures["throughput_gbs"] <= figures["bound_gbs"] * (1 + 1e-9)
    assert figures["seed"] == 7
    assert figures["steps"] >= 3000
    assert figures["steps_per_second"] == pytest.approx(figures["steps"] / figures["seconds"])
    better = read_scenario(out)
    assert isinstance(better.mapping, Explicit)
    assert replace(better, mapping=scenario.mapping, folder=None) == scenario


@pytest.mark.parametrize("method", ["portfolio", "annealing", "bottleneck:candidates=8,tenure=3", "two-opt"])
def test_the_same_seed_finds_the_same_mapping(method, example, tmp_path, capsys):
    outs = [tmp_path / f"{k}.json" for k in range(2)]
    first, second = (
        evaluation(capsys, "optimise", example, "--steps", 2000, "--method", method, "--out", o) for o in outs
    )
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert (first["throughput_gbs"], first["steps"]) == (second["throughput_gbs"], second["steps"])


@pytest.mark.parametrize("objective", ["hop-bytes", "hops", "contention", "seconds", "mix:throughput=1,hop-bytes=2"])
def test_another_objective_has_its_figure(objective, example, tmp_path, capsys):
    out = tmp_path / "better.json"
    figures = evaluation(capsys, "optimise", example, "--objective", objective, "--steps", 2000, "--out", out)
    assert list(figures) == [*KEYS, "objective", "start", "found", *LAST]
    assert figures["objective"] == objective.partition(":")[0]
    assert figures["found"] < figures["start"]
    assert figures["throughput_gbs"] == evaluation(capsys, "evaluate", out)["throughput_gbs"]


def test_figures_are_in_the_unit_of_evaluate(tmp_path, capsys):
    job = Flows(src=(0, 1, 2), dst=(7, 5, 6), volume=(0.5, 2.0, 1.0), unit="MB")
    path = written(tmp_path, replace(SCENARIO, job=job))
    before = evaluation(capsys, "evaluate", path)
    assert before["unit"] == "MB"
    figures = evaluation(capsys, "optimise", path, "--objective", "hop-bytes", "--steps", 2000)
    assert figures["unit"] == "MB hops"
    assert figures["start"] == pytest.approx(
        sum(figures_of_class["sum_load"] for figures_of_class in before["classes"].values())
    )
    assert evaluation(capsys, "explain", path)["unit"] == "MB"
    assert "unit" not in evaluation(capsys, "optimise", path, "--steps", 20)


@pytest.mark.parametrize("objective", ["seconds", "jobs:of=sum", "throughput"])
def test_json_is_right_with_disconnected_flows(objective, tmp_path, capsys):
    job, faults = Halo(4, 4), (NodeFault(node=3),)
    path = written(tmp_path, Scenario(Torus((4, 4)), job, Sequential(), Minimal(), faults=faults))
    figures = evaluation(capsys, "optimise", path, "--objective", objective, "--steps", 300)
    assert figures["throughput_gbs"] == evaluation(capsys, "evaluate", path)["throughput_gbs"]


def test_text_has_a_table_of_classes_with_bounds(example, tmp_path, capsys):
    out = tmp_path / "better.json"
    assert main(["optimise", str(example), "--steps", "500", "--seed", "3", "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["start", "best", "bound", "bound", "÷", "best"]
    assert [line.split()[0] for line in lines[1:4]] == ["Throughput", "X", "Y"]
    assert all(line.endswith("GB/s per node") for line in lines[1:4])
    assert any(line.startswith("Upper bound ") for line in lines)
    assert "portfolio, seed 3, 1 worker" in lines[-2]
    assert lines[-1] == f"written: {out}"


def test_restarts_and_their_spread_are_reported(tmp_path, capsys):
    path = written(tmp_path, Scenario(Torus((4, 4)), Halo(4, 4), Random(1), Adaptive()))
    assert evaluation(capsys, "optimise", path, "--steps", 20)["restarts"] == 0
    path = written(tmp_path, replace(SCENARIO, job=Halo(4, 8)))
    figures = evaluation(capsys, "optimise", path, "--steps", 60_000, "--seed", 1)
    spread = figures["spread"]
    assert figures["restarts"] > 0
    assert list(spread) == ["best", "median", "worst"]
    assert figures["throughput_gbs"] >= spread["best"] * (1 - 1e-9)
    assert spread["best"] >= spread["median"] >= spread["worst"] > 0
    assert main(["optimise", str(path), "--steps", "60000", "--seed", "1"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if " restarts: best " in line]
    assert lines[0].startswith(f"{figures['restarts']:,} restarts")


def test_the_figure_of_another_objective_heads_the_table(example, capsys):
    assert main(["optimise", str(example), "--steps", "500", "--objective", "hops"]) == 0
    assert re.match(r"Total hops +\d+\.?\d* +\d+\.?\d* +hops$", capsys.readouterr().out.splitlines()[1])
    assert main(["optimise", str(example), "--steps", "500", "--objective", "mix"]) == 0
    assert re.match(r"Weighted mix +100\.0 +\d+\.\d+ +% of the start$", capsys.readouterr().out.splitlines()[1])


def test_pinned_tasks_and_empty_slots_stay(example, tmp_path, capsys):
    out = tmp_path / "better.json"
    pins = ("--pin", "0-9, 13", "--no-empty", "--objective", "hops")
    evaluation(capsys, "optimise", example, "--steps", 2000, *pins, "--out", out)
    before, after = (read_scenario(path).build().mapping.slots for path in (example, out))
    stay = [*range(10), 13]
    np.testing.assert_array_equal(before[stay], after[stay])
    assert set(before.tolist()) == set(after.tolist())
    assert (before != after).any()


def test_tasks_stay_within_a_level_and_move_with_one(tmp_path, capsys):
    path, out = written(tmp_path, PERCS), tmp_path / "better.json"
    levels = ("--within", "supernode", "--unit", "node", "--objective", "hops")
    evaluation(capsys, "optimise", path, "--steps", 4000, *levels, "--out", out)
    before, after = (read_scenario(p).build().mapping.slots for p in (path, out))
    np.testing.assert_array_equal(before // 128, after // 128)
    np.testing.assert_array_equal(before % 4, after % 4)
    assert (before != after).any()


def test_an_order_of_hosts_says_what_the_bound_is_for(tmp_path, capsys):
    path, wider = written(tmp_path, PERCS), "The bound is for all mappings, also outside the reach of this search."
    for options, expected in ((["--unit", "host"], True), ([], False)):
        assert main(["optimise", str(path), "--steps", "2", *options]) == 0
        assert (wider in capsys.readouterr().out.splitlines()) == expected


def test_the_file_itself_may_be_written_over(example, capsys):
    figures = evaluation(capsys, "optimise", example, "--steps", 2000, "--out", example)
    assert evaluation(capsys, "evaluate", example)["throughput_gbs"] == figures["throughput_gbs"]


def test_no_bound_is_null(tmp_path, capsys):
    # With disconnected flows, no bound is known.
    path = written(tmp_path, replace(PERCS, faults=(NodeFault(0),)))
    assert evaluation(capsys, "optimise", path, "--steps", 2, "--no-empty")["bound_gbs"] is None
    assert main(["optimise", str(path), "--steps", "2", "--no-empty"]) == 0
    assert "Upper bound" not in capsys.readouterr().out


def test_reconnected_flows_are_reported(tmp_path, capsys):
    path = written(tmp_path, replace(PERCS, faults=(NodeFault(0),)))
    assert main(["optimise", str(path), "--steps", "2"]) == 0
    out = capsys.readouterr().out
    before = r"\d+ flows \(.* units\) are disconnected and \d tasks sit on failed nodes"
    assert re.search(f"Initial mapping: {before}. Best mapping: nothing is disconnected.", out)
    assert re.search("Upper bound .* if no flow is disconnected: ", out)


LEVELS = "choose one of node"
REFUSALS = [
    (
        ["--objective", "speed"],
        "'speed' is not known; choices: throughput, hop-bytes, hops, contention, seconds, jobs, robust, mix",
    ),
    (["--objective", "hop"], "did you mean hops?"),
    (["--objective", "mix:speed=1"], "mix has no field 'speed'; fields: throughput, hop_bytes, hops, contention"),
    (["--objective", "mix:hops"], "mix has no field 'hops'; fields: "),
    (["--objective", "mix:hops=-1"], "--objective: mix: hops must be a number from 0 to 100, not '-1'"),
    (["--objective", "mix:hops=nan"], "not 'nan'"),
    (["--objective", "mix:throughput=0,hop_bytes=0"], "--objective: all weights are 0"),
    (["--method", "magic"], "--method: 'magic' is not known; choices: portfolio, annealing, bottleneck, two-opt"),
    (["--method", "two-opt:x=1"], "two-opt has no field 'x'; fields: empty"),
    (["--method", "two-opt:empty=2"], "empty must be true or false, not '2'"),
    (["--steps", "0"], "--steps: must be a whole number from 1 to "),
    (["--steps", "1.5"], "--steps: must be a whole number"),
    (["--seconds", "0"], "--seconds: must be a number above 0, up to 604,800 s, not '0'"),
    (["--seconds", "-3"], "--seconds: must be"),
    (["--seconds", "soon"], "--seconds: must be"),
    (["--seconds", "inf"], "--seconds: must be"),
    (["--seconds", ""], "--seconds: must be"),
    (["--seed", "-1"], "--seed: must be a whole number from 0"),
    (["--workers", "0"], "--workers: must be a whole number from 1 to 256"),
    (["--unit", "rack"], "--unit: this network has no level 'rack'; choose one of "),
    (["--unit", "node", "--method", "best-swaps"], "--unit: best single swaps move only single tasks"),
    (["--within", "rack"], "--within: this network has no level 'rack'; choose one of "),
    (["--within", "node", "--unit", "node"], "--within: no node has two units that may move (unit: node)"),
    (["--pin", "x"], "--pin: 'x' is not a task or a range of tasks, such as 0-63,128"),
    (["--pin", "5-3"], "--pin: '5-3' is not in ascending order"),
    (["--pin", "0,24"], "--pin: '24' is out of range; tasks: 0 to 23"),
    (["--pin", "9" * 5000], "tasks: 0 to 23"),
    (["--pin", "0-23", "--no-empty"], "--pin: fewer than two units may move (unit: task"),
    (["--out", "none/better.json"], "--out: none/better.json cannot be written: its folder does not exist"),
    (["--out", "."], "--out: . cannot be written: it is a folder"),
]


@pytest.mark.parametrize(("options", "words"), REFUSALS, ids=[" ".join(o)[:40] for o, _ in REFUSALS])
def test_bad_input_is_one_line_and_status_2(options, words, example, capsys):
    assert main(["optimise", str(example), *options]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_files_that_cannot_be_read_are_refused(tmp_path, capsys):
    assert main(["optimise", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_the_result_is_printed_even_if_it_cannot_be_written(example, capsys):
    assert main(["optimise", str(example), "--steps", "10", "--json", "--out", "/dev/full"]) == 2
    out, err = capsys.readouterr()
    assert list(json.loads(out)) == [*KEYS, *LAST]
    assert "the disk is full" in err


def test_the_result_stays_in_the_folder_of_the_job_s_file(tmp_path, capsys):
    (tmp_path / "flows.csv").write_text("0,3,1\n1,2,2\n2,0,1\n")
    job = Flows(file="flows.csv")
    path = written(tmp_path, Scenario(Torus(dims=(3, 3)), job, Random(seed=1), DimensionOrder()))
    (tmp_path / "other").mkdir()
    elsewhere = str(tmp_path / "other" / "better.json")
    assert main(["optimise", str(path), "--steps", "100", "--out", elsewhere]) == 2
    assert f"--out: must be in the folder {tmp_path}, where the job finds flows.csv" in capsys.readouterr().err
    out = tmp_path / "better.json"
    figures = evaluation(capsys, "optimise", path, "--steps", 100, "--out", out)
    assert evaluation(capsys, "evaluate", out)["throughput_gbs"] == figures["throughput_gbs"]


def test_a_file_outside_the_folder_is_refused_before_the_search(tmp_path, capsys, monkeypatch):
    flows = tmp_path / "elsewhere" / "flows.csv"
    flows.parent.mkdir()
    flows.write_text("0,3,1\n1,2,2\n2,0,1\n")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("app.cli.optimise.optimise", None)  # fails if called
    choices = "--network", "torus:dims=3x3", "--job", f"flows:file={flows}"
    assert main(["optimise", *choices, "--steps", "100", "--out", "better.json"]) == 2
    message = f"fabriscope: --out: must be in the folder {flows.parent}, where the job finds {flows}\n"
    assert capsys.readouterr().err == message


def test_the_result_stays_in_the_folder_of_the_network_s_file(tmp_path, capsys):
    (tmp_path / "ring.txt").write_text("0 1\n1 2\n2 3\n3 0\n")
    path = written(tmp_path, Scenario(Edges(file="ring.txt"), Halo(2, 2), Random(seed=1), Minimal(), folder=tmp_path))
    (tmp_path / "other").mkdir()
    assert main(["optimise", str(path), "--steps", "100", "--out", str(tmp_path / "other" / "better.json")]) == 2
    assert f"--out: must be in the folder {tmp_path}, where the network finds ring.txt" in capsys.readouterr().err


def test_choices_come_from_their_declarations():
    assert parse_choice("--method", "bottleneck:tenure=7", AnyMethod) == Bottleneck(tenure=7)
    assert parse_choice("--objective", "mix:hop-bytes=0.5, hops=2", AnyObjective) == Mix(hop_bytes=0.5, hops=2)
    with pytest.raises(SpecError, match=r"tenure must be a whole number from 0 to 1,000,000, not '1.5'"):
        parse_choice("--method", "bottleneck:tenure=1.5", AnyMethod)


@pytest.mark.parametrize(
    ("text", "tasks"), [("", []), ("3", [3]), ("0-2,2,5", [0, 1, 2, 5]), (" 4 - 5 ,", [4, 5]), ("0000000000007", [7])]
)
def test_lists_of_tasks(text, tasks):
    assert parse_tasks(text, 8).tolist() == tasks


def test_the_gap_is_the_bound_over_the_figure():
    assert gap_text(64.0, 80.0) == "1.25×"
    assert gap_text(64.0, 64.0) == "optimal"
    assert gap_text(None, 64.0) == gap_text(64.0, None) == ""


def test_help_names_every_choice(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["optimise", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == 0
    for word in ("hop-bytes", "contention", "portfolio", "annealing:hot=0.02,cold=0.01", "two-opt", "--pin", "Ctrl-C"):
        assert word in text


class Terminal:
    """The program in a separate session, with a terminal for its progress."""

    def __init__(self, *arguments):
        self._reads, writes = pty.openpty()
        self.process = program.start(*arguments, start_new_session=True, stderr=writes)
        os.close(writes)
        self.shown = b""

    def wait_for(self, pattern):
        """Read until the terminal shows the pattern."""
        while not re.search(pattern, self.shown):
            self.shown += os.read(self._reads, 4096)

    def interrupt(self):
        """Press Ctrl-C, which signals every process of the session."""
        os.killpg(self.process.pid, signal.SIGINT)

    def terminate(self):
        """Terminate the program as `kill` does, which signals one process."""
        os.kill(self.process.pid, signal.SIGTERM)

    def terminate_all(self):
        """Terminate the program as a batch system does at the time limit of a job."""
        os.killpg(self.process.pid, signal.SIGTERM)

    def end(self):
        """Return its output, and whether any of its processes still runs."""
        out, _ = self.process.communicate()
        self.shown += drained(self._reads)
        os.close(self._reads)
        return out, self._any_left()

    def _any_left(self):
        # The tracker of shared resources ends a moment later.
        for _ in range(20 * patience.SECONDS):
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return False
            time.sleep(0.05)
        return True


def drained(descriptor):
    output = b""
    while True:
        try:
            part = os.read(descriptor, 4096)
        except OSError:  # the other end is closed
            return output
        if not part:
            return output
        output += part


@pytest.mark.parametrize(
    ("workers", "stop"), [(1, "interrupt"), (2, "interrupt"), (1, "terminate"), (2, "terminate"), (2, "terminate_all")]
)
def test_signals_keep_the_best_mapping_and_end_every_process(workers, stop, tmp_path, capsys):
    path, out = written(tmp_path, PERCS), tmp_path / "better.json"
    terminal = Terminal("optimise", path, "--seconds", 3600, "--workers", workers, "--out", out)
    terminal.wait_for(rb"best [\d.]+  current [\d.]+  bound [\d.]+ GB/s per node  [1-9][\d,]* mappings/s")
    getattr(terminal, stop)()
    text, left = terminal.end()
    assert terminal.process.returncode == 0
    assert not left
    assert b"Traceback" not in terminal.shown
    assert b"other mappings" not in terminal.shown
    assert text.startswith("stopped; best mapping so far\n")
    assert "built-in mappings" not in text
    throughput = evaluation(capsys, "evaluate", out)["throughput_gbs"]
    assert throughput >= evaluation(capsys, "evaluate", path)["throughput_gbs"]
    assert float(re.search(r"Throughput +[\d.]+ +([\d.]+)", text)[1]) == pytest.approx(throughput, rel=1e-3)


def test_built_in_mappings_are_listed_for_comparison_with_progress(tmp_path, capsys, monkeypatch):
    path = str(written(tmp_path, PERCS))
    assert main(["optimise", path, "--steps", "10"]) == 0
    printed, shown = capsys.readouterr()
    assert re.search(r"For comparison, built-in mappings: Coloured blocks.* GB/s per node\.$", printed, re.M)
    assert "built-in mappings" not in shown
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["optimise", path, "--steps", "10"]) == 0
    again, shown = capsys.readouterr()
    assert re.sub(r"in [\d.]+ s.*", "", again) == re.sub(r"in [\d.]+ s.*", "", printed)
    assert re.search(r"built-in mappings  [█░]+", shown)
    assert shown.endswith(CLEAR)


def test_traced_flows_have_a_time(tmp_path, capsys):
    star = FatTree(arity=3, levels=1, host_gbs=1.0, slots_per_node=2)
    job = Flows(src=(0, 0), dst=(1, 2), volume=(3470.0, 3470.0))
    path = written(tmp_path, Scenario(star, job, Explicit((0, 2, 4)), Minimal()))
    figures = evaluation(capsys, "optimise", path, "--steps", 300)
    assert (figures["start_time"], figures["time"]) == (pytest.approx(6940), pytest.approx(3470))
    assert (figures["start_gbs"], figures["throughput_gbs"]) == (pytest.approx(0.5), pytest.approx(1.0))
    assert figures["bound_gbs"] == pytest.approx(1.0)
    assert main(["optimise", str(path), "--steps", "300"]) == 0
    assert re.search(r"^Time +6,940 s +3,470 s +3,470 s$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("objective", "unit", "figure"),
    [
        ("throughput", "GB/s per node", "1.7"),
        ("hop-bytes", "unit hops", "16.00"),
        ("hops", "hops", "64.00"),
        ("contention", "pairs", "0"),
        ("seconds", "s", "0.5882"),
        ("jobs", "s per unit", "0.5882"),
        ("mix", "% of the start", "36.98"),
    ],
)
def test_mappings_are_compared_by_the_objective(capsys, objective, unit, figure):
    chosen = ["--network", "torus:dims=4x4", "--job", "halo:rows=4,cols=4", "--mapping", "random:seed=1"]
    assert main(["optimise", *chosen, "--objective", objective, "--steps", "100"]) == 0
    (comparison,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("For comparison")]
    assert comparison.startswith(f"For comparison, built-in mappings: Sequential {figure}; ")
    assert comparison.endswith(f" {unit}.")
