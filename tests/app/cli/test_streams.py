"""Input and output of commands: ``-``, outputs that are full, closed or not files, and early ends."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.cli.main import main
from app.cli.streams import write_all_characters
from app.storage.presets import preset, preset_text
from core.files import read_scenario, write_scenario
from tests import patience
from tests.app.cli.program import MAIN, OF_KERNELS, run, start

ROOT = MAIN.parent


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "example.fabriscope.json"
    write_scenario(path, preset("power775-smallest"))
    return path


def one_line(done, words):
    """Whether the program refused properly, with one line and status 2."""
    assert done.returncode == 2
    before, _, last = done.stderr.rstrip("\n").rpartition("\n")
    assert last.startswith("fabriscope: ")
    assert words in last
    assert "Traceback" not in before
    return not before.strip() or "--out - " in f"{' '.join(done.args)} "  # which prints other output on standard error


def commands(example, folder):
    """An example of each command that prints."""
    network = "circulant:nodes=8,jumps=1,2"
    return {
        "help": ["--help"],
        "version": ["--version"],
        "evaluate": ["evaluate", example],
        "evaluate --json": ["evaluate", example, "--json"],
        "links": ["evaluate", example, "--links", "-"],
        "metrics": ["metrics", network],
        "compare": ["compare", network, "torus:dims=4x4"],
        "reproduce": ["reproduce", "--help"],
        "timeline": ["timeline", example],
        "optimise": ["optimise", example, "--steps", "10"],
        "optimise --out -": ["optimise", example, "--steps", "10", "--out", "-"],
        "render": ["render", example, "--size", "200x200", "--out", "-"],
        "export": ["export", example, "--to", "dot"],
        "export --list": ["export", "--list"],
    }


COMMANDS = tuple(commands("", ""))


@pytest.mark.parametrize(
    ("name", "unbuffered"),
    [(name, "") for name in COMMANDS] + [(name, "1") for name in ("help", "version", "evaluate")],
)
def test_a_full_standard_output_is_one_line(name, unbuffered, example, tmp_path):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = run(*commands(example, tmp_path)[name], stdout=full, env=environment)
    assert one_line(done, "cannot be written: the disk is full")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_closed_standard_output_is_one_line(name, example, tmp_path):
    # As `>&-` in a shell.
    assert one_line(run(*commands(example, tmp_path)[name], stdout=None), "closed")


@pytest.mark.parametrize("name", ["evaluate --json", "links", "optimise --out -", "render", "export"])
def test_a_reader_that_closes_the_pipe_ends_the_program_quietly(name, example, tmp_path):
    reads, writes = os.pipe()
    os.close(reads)
    done = run(*commands(example, tmp_path)[name], stdout=writes)
    os.close(writes)
    assert "Traceback" not in done.stderr
    assert "fabriscope: " not in done.stderr
    assert done.returncode == 0


def test_output_is_utf_8_in_every_locale():
    arguments = ["help", "units"]
    others = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, MAIN, *arguments], env=others, capture_output=True, check=True)
    assert done.stdout.decode("utf-8") == run(*arguments).stdout
    assert not done.stdout.isascii()


def test_unknown_characters_become_question_marks_on_a_terminal(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdout", terminal)
    write_all_characters()
    print("2 × 3 → 6", flush=True)
    assert terminal.buffer.getvalue().decode("latin-1") == "2 × 3 ? 6\n"


def test_standard_input_is_a_file(example):
    text = example.read_text()
    plain = run("evaluate", example, "--json").stdout
    assert run("evaluate", "-", "--json", input=text).stdout == plain
    for command in (["metrics", "-"], ["compare", "-"], ["optimise", "-", "--steps", "5"]):
        assert run(*command, "--json", input=text).returncode == 0, command
    assert one_line(run("evaluate", "-", input="no JSON"), "file: standard input is not a valid scenario")


def test_commands_can_be_joined_by_a_pipe(example):
    run_of_search = run("optimise", example, "--steps", "200", "--out", "-")
    assert "Throughput" in run_of_search.stderr  # messages go to standard error
    assert json.loads(run_of_search.stdout)["mapping"]["type"] == "explicit"
    assert json.loads(run("evaluate", "-", "--json", input=run_of_search.stdout).stdout)["throughput_gbs"] > 0


def test_quiet_prints_only_errors_to_standard_error(example):
    search = ["optimise", example, "--steps", "10", "--out", "-"]
    assert run(*search).stderr
    assert run(*search, "-q").stderr == ""


def test_pictures_and_tables_go_to_standard_output(example):
    picture = run("render", example, "--size", "200x200", "--out", "-", text=False)
    assert picture.stdout.startswith(b"\x89PNG")
    drawing = run("render", example, "--size", "200x200", "--out", "-", "--format", "svg")
    assert "<svg" in drawing.stdout
    assert run("evaluate", example, "--links", "-").stdout.startswith("src,dst,class,load")
    assert run("compare", "torus:dims=4x4", "--csv", "-").stdout.startswith("name,network,")


@pytest.mark.parametrize(
    "command", [["evaluate", "--links"], ["optimise", "--steps", "9", "--out"], ["compare", "--csv"]]
)
def test_two_outputs_cannot_share_standard_output(command, example):
    name, *options = command
    assert one_line(run(name, example, *options, "-", "--json"), f"{options[-1]}: - and --json both write")


def outputs(example):
    """Each option that writes a file, with the ending of the file."""
    small = ["--size", "200x200", "--out"]
    return {
        "links": (["evaluate", example, "--links"], ".csv"),
        "optimise": (["optimise", example, "--steps", "10", "--out"], ".json"),
        "compare": (["compare", "torus:dims=4x4", "--csv"], ".csv"),
        "png": (["render", example, *small], ".png"),
        "svg": (["render", example, *small], ".svg"),
    }


@pytest.mark.parametrize("name", outputs(""))
def test_a_full_disk_keeps_the_old_file(name, example, tmp_path):
    command, ending = outputs(example)[name]
    out = tmp_path / f"old{ending}"
    out.write_text("old")
    before = sorted(tmp_path.iterdir())
    done = run(*command, out, largest_file=100)
    assert one_line(done, "old")
    assert "too large for this file system" in done.stderr
    assert out.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", outputs(""))
def test_folders_that_do_not_exist_are_one_line(name, example, tmp_path, capsys):
    command, ending = outputs(example)[name]
    assert main([*map(str, command), str(tmp_path / "none" / f"x{ending}")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("fabriscope: ")
    assert "its folder does not exist" in line


PLACES = {
    "x" * 300: "its name is too long; choose a shorter name",
    f"{'x' * 300}/o": "its name is too long; choose a shorter name",
    "folder": "it is a folder; choose another name",
    "none/o": "its folder does not exist; save it elsewhere",
    "file/o": "its folder does not exist; save it elsewhere",
    "/dev/full": "the disk is full; free some space, or save it elsewhere",
}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[:8] + place[-8:])
@pytest.mark.parametrize("name", [*outputs("")])
def test_unwritable_places_are_refused_under_the_option(name, place, example, tmp_path, capsys):
    command, ending = outputs(example)[name]
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.iterdir())
    *words, option = command
    form = ["--format", ending[1:]] if words[0] == "render" and "--format" not in words else []
    assert main([*map(str, words), *form, option, str(tmp_path / place)]) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith(f"fabriscope: {option}: ")
    assert message.endswith(PLACES[place])
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["links", "optimise", "compare"])
def test_unwritable_places_are_refused_before_the_work(name, example, tmp_path, monkeypatch, capsys):
    command, _ = outputs(example)[name]
    monkeypatch.setattr("app.cli.progress_line.ProgressLine.stage", lambda *_: pytest.fail("began to work"))
    assert main([*map(str, command), str(tmp_path / "none" / "o")]) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize("name", outputs(""))
def test_devices_can_be_written_to(name, example, tmp_path):
    command, ending = outputs(example)[name]
    pipe = tmp_path / f"pipe{ending}"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        done = run(*command, pipe)
        assert done.returncode == 0, done.stderr
        assert len(reader.communicate(timeout=patience.SECONDS)[0]) > 100
    assert pipe.is_fifo()
    form = ["--format", ending[1:]] if command[0] == "render" else []
    assert main([*map(str, command), "/dev/null", *form]) == 0  # /dev/full is among PLACES


def test_standard_output_by_name_continues_at_its_position(example, tmp_path):
    both = tmp_path / "both.txt"
    with both.open("w") as out:
        done = run("evaluate", example, "--links", "/dev/stdout", stdout=out)
    assert done.returncode == 0
    lines = both.read_text().splitlines()
    assert lines[0] == "src,dst,class,load,utilisation"
    assert "GB/s per node" in both.read_text()


@pytest.mark.parametrize("name", outputs(""))
def test_a_pipe_by_the_name_of_its_descriptor_is_written_to(name, example):
    command, ending = outputs(example)[name]
    form = ["--format", ending[1:]] if command[0] == "render" else []
    reads, writes = os.pipe()
    with open(reads, "rb") as reader:
        done = run(*command, f"/dev/fd/{writes}", *form, pass_fds=[writes])
        os.close(writes)
        assert done.returncode == 0, done.stderr
        assert len(reader.read()) > 100


def test_a_picture_without_a_given_name_replaces_no_file(tmp_path):
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    mine = tmp_path / "fabriscope.png"
    mine.write_bytes(b"mine")
    done = run(cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert mine.read_bytes() == b"mine"
    other = tmp_path / "fabriscope-2.png"
    assert str(other) in done.stdout
    assert other.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_quietly(number, status, tmp_path):
    # The program waits forever for its input.
    with start("evaluate", "-") as program:
        try:
            while not reading(program.pid):
                time.sleep(0.02)
            program.send_signal(number)
            out, err = program.communicate()
        finally:
            program.kill()  # otherwise leaving the block waits forever
    assert (program.returncode, out, err) == (status, "", "")


def test_a_film_that_is_interrupted_leaves_no_file(tmp_path):
    scratch, film = tmp_path / "scratch", tmp_path / "x.mp4"
    scratch.mkdir()
    environment = os.environ | {"TMPDIR": str(scratch)}
    with start("film", "clex-rounds", "--out", film, "--progress", "-q", env=environment) as program:
        try:
            while '"drawing"' not in program.stderr.readline():
                pass
            program.send_signal(signal.SIGTERM)
            _, err = program.communicate()
        finally:
            program.kill()
    lines = [line for line in err.splitlines() if not any(words in line for words in (*OF_KERNELS, '"drawing"'))]
    assert (program.returncode, lines) == (143, [])
    assert list(tmp_path.rglob("*")) == [scratch]


def reading(pid):
    """Whether a process waits for its standard input."""
    try:
        return Path(f"/proc/{pid}/syscall").read_text().startswith("0 0x0 ")
    except OSError:
        return False


def test_a_window_does_not_open_standard_input(example):
    assert one_line(run("window", "-", input=example.read_text()), "give a file")


def test_the_result_of_a_search_is_a_scenario_file(example, tmp_path):
    out = tmp_path / "better.fabriscope.json"
    assert run("optimise", example, "--steps", "10", "--out", out).returncode == 0
    assert read_scenario(out).mapping.tag() == "explicit"


def test_errors_of_the_operating_system_name_the_file(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    leave = f"import os, sys; sys.path.insert(0, {str(ROOT)!r}); os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})"
    command = [sys.executable, "-c", f"{leave}; from {main.__module__} import main; sys.exit(main())"]
    ended = subprocess.run([*command, "metrics", "edges:file=x.edges"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "fabriscope: current folder: no longer exists; change to another folder\n"


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
@pytest.mark.parametrize(
    "command",
    [["evaluate"], ["report", "--out", "r.html"], ["page", "--out", "p.html"],
     ["render", "--view", "machine", "--out", "r.png"], ["export", "--to", "dot", "--out", "r.dot"]],
    ids=lambda command: command[0],
)  # fmt: skip
def test_a_path_of_invalid_unicode_is_read(tmp_path, command):
    name = b"\xff\xfe.fabriscope.json"
    (tmp_path / os.fsdecode(name)).write_bytes(preset_text("power775-smallest"))
    run = [sys.executable, str(MAIN), command[0], name, *command[1:]]
    ended = subprocess.run(run, cwd=tmp_path, capture_output=True, check=False)
    assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False)
