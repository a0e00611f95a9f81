"""Processes for long work: their imports and signals, and how they are started."""

import json
import os
import signal
from pathlib import Path

import pytest

from app.storage.presets import preset
from core import processes
from core.files import write_scenario
from tests import programs
from tests.app.cli.program import LOADED
from tests.core.teller import tell

ROOT = Path(__file__).parents[2]


@pytest.fixture
def started():
    pool = []
    # The server from which searches of other tests are forked starts here, unless it runs already.
    processes.start_server("core.optimise.workers")
    yield lambda task: pool.append(processes.start_process(tell, task, f"told-{task}")) or pool[-1]
    processes.end_processes(pool)


@pytest.mark.parametrize("method", sorted({"spawn", processes.START_METHOD}))
def test_each_process_has_its_task_and_pipe_and_ignores_signals(started, monkeypatch, method):
    monkeypatch.setattr(processes, "START_METHOD", method)
    pipes = [started(task).pipe for task in range(3)]
    told = [pipe.recv() for pipe in pipes]
    assert [task for task, *_ in told] == [0, 1, 2]
    assert {handler for *_, interrupt, end in told for handler in (interrupt, end)} == {signal.SIG_IGN}
    parents = {parent for _, parent, *_ in told}
    assert len(parents) == 1
    assert (os.getpid() in parents) == (method == "spawn")
    for pipe in pipes:
        pipe.send(pipe.fileno())
        assert pipe.recv() == pipe.fileno()


def test_starting_a_process_does_not_change_the_parent(started):
    mask, places = signal.pthread_sigmask(signal.SIG_BLOCK, []), dict(os.environ)
    started("it").pipe.recv()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
    assert dict(os.environ) == places


def test_interrupts_are_blocked_in_processes_started_meanwhile():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with processes.interrupts_blocked():
        assert {signal.SIGINT, signal.SIGTERM} <= signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_packages_of_the_same_names_in_the_current_folder_are_ignored(tmp_path):
    write_scenario(tmp_path / "small.fabriscope.json", preset("hypercube-64-nodes"))
    for name in ("core", "app", "numpy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("open('imported', 'w')")
    command = [ROOT / "main.py", "optimise", "small.fabriscope.json", "--steps", "600", "--workers", "2", "--json"]
    ended = programs.run(LOADED, command, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    figures = json.loads(ended.stdout)
    assert figures["throughput_gbs"] >= figures["start_gbs"] > 0
    assert not (tmp_path / "imported").exists()
