"""The cache of compiled code: never stale, never in the way, never a reason to fail; each time in a new process."""

import os
import random
import shutil
import sys
import time
from pathlib import Path

import pytest

import core
from core.kernels.start_time import GRAIN
from tests import programs

VALIANT = """
import numpy as np
from core.routing.minimal.kernel import incident_links, room_for
from core.routing.minimal.valiant_kernel import mean_distances
ring = np.arange(5, dtype=np.int32)
links = incident_links(ring, np.roll(ring, 1), ring, ring.size)
print(mean_distances(ring.size, links.out_links, np.ones(5), np.zeros(5, np.int32), room_for(5, 5)).max())
"""
PAIR = {
    "low.py": "from core.kernels import kernel\n@kernel\ndef low(x):\n    return x + {added}\n",
    "high.py": "from pair.low import kernel, low\n@kernel\ndef high(x):\n    return 2 * low(x)\n",
    "__init__.py": "",
}
ASK = """
from core.kernels import compile_events
from pair.high import high
class Heard:
    def begin(self): print("compiling")
    def end(self): pass
    def no_cache_folder(self, reason): print("unkept", reason)
compile_events.listen(Heard())
print(high(1))
"""


@pytest.fixture
def program(tmp_path):
    """A copy of the modules that compile, and two modules of another package, one of which calls the other's kernel."""
    root = tmp_path / "program"
    own = Path(core.__file__).parent
    shutil.copytree(own / "kernels", root / "core" / "kernels")
    shutil.copy2(own / "__init__.py", root / "core")
    write_pair(root, 1)
    return root


@pytest.fixture
def whole_program(program):
    """The same with all of core."""
    shutil.copytree(Path(core.__file__).parent, program / "core", dirs_exist_ok=True)
    return program


def write_pair(root, added):
    (root / "pair").mkdir(exist_ok=True)
    for name, text in PAIR.items():
        (root / "pair" / name).write_text(text.format(added=added))


def start(program, *arguments, largest_file=None, **places):
    hidden = ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | {k: str(v) for k, v in places.items()}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # a file may be changed twice in a second
    loaded = ["tests.core.kernels.compiler"]
    return programs.Program(loaded, arguments, cwd=program, env=environment, largest_file=largest_file)


def output_of(started):
    """The output lines of a program that succeeds."""
    out, err = started.communicate()
    assert started.returncode == 0, err
    assert err == ""
    return out.splitlines()


def run(program, script, largest_file=None, **places):
    time.sleep(2 * GRAIN)  # a file written just before would count as changed since
    return output_of(start(program, "-c", script, largest_file=largest_file, **places))


def folders(cache, package="pair"):
    return sorted(path.name for path in (cache / "fabriscope" / "kernels").glob(f"{package}-*"))


def test_compiled_code_is_loaded_from_the_cache(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    assert run(program, ASK, **cache) == ["compiling", "4"]
    assert run(program, ASK, **cache) == ["4"]
    assert not list(program.rglob("*.nb?"))


def test_a_change_in_one_file_is_seen_by_its_callers_in_others(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    assert run(program, ASK, **cache)[-1] == "4"
    write_pair(program, 2)
    assert run(program, ASK, **cache)[-1] == "6"


def test_a_change_of_the_minimal_kernel_is_seen_by_valiant(whole_program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    before = run(whole_program, VALIANT, **cache)
    changed = whole_program / "core" / "routing" / "minimal" / "kernel.py"
    assert changed.exists()
    with changed.open("a") as source:
        source.write(
            "\n\n@kernel\ndef count_paths(u, adjacency, room, left):\n    room.distance[:] = 7000\n    return 0, 0\n"
        )
    after = run(whole_program, VALIANT, **cache)
    assert float(after[0]) > 1000 > float(before[0])


def test_two_users_of_one_installation_get_the_same_answer(program, tmp_path):
    first, second = ({"XDG_CACHE_HOME": tmp_path / user} for user in ("first", "second"))
    assert run(program, ASK, **first)[-1] == "4"
    write_pair(program, 2)
    assert run(program, ASK, **first)[-1] == run(program, ASK, **second)[-1] == "6"


def test_copies_of_one_version_share_a_folder_which_goes_with_the_last_of_them(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    other, gone = tmp_path / "other", tmp_path / "gone"
    shutil.copytree(program, other)
    shutil.copytree(program, gone)
    assert run(program, ASK, **cache) == ["compiling", "4"]
    for root in (other, gone):
        assert run(root, ASK, **cache) == ["4"]
    (shared,) = folders(tmp_path / "cache")
    shutil.rmtree(gone)
    write_pair(program, 2)
    assert run(program, ASK, **cache) == ["compiling", "6"]
    assert len(folders(tmp_path / "cache")) == 2
    assert run(other, ASK, **cache) == ["4"]
    write_pair(other, 2)
    assert run(other, ASK, **cache) == ["6"]
    assert len(folders(tmp_path / "cache")) == 1
    assert shared not in folders(tmp_path / "cache")


def test_a_running_program_survives_the_loss_of_its_folder(program, tmp_path):
    cache = tmp_path / "cache"
    script = ASK + f"import shutil\nshutil.rmtree({str(cache)!r})\nprint(high(1.5))"
    assert run(program, script, XDG_CACHE_HOME=cache) == ["compiling", "4", "compiling", "5.0"]
    assert run(program, ASK.replace("high(1)", "high(1.5)"), XDG_CACHE_HOME=cache) == ["5.0"]


def test_a_program_changed_while_it_runs_stores_nothing(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    low = program / "pair" / "low.py"
    changed = low.read_text().replace("+ 1", "+ 2")
    change = ASK.replace("print(high(1))", f"open({str(low)!r}, 'w').write({changed!r})\nprint(high(1))")
    assert run(program, change, **cache)[-1] == "4"
    assert run(program, ASK, **cache)[-1] == "6"


def test_half_a_file_is_compiled_again(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    run(program, ASK, **cache)
    for path in (tmp_path / "cache").rglob("pair.*"):
        path.write_bytes(path.read_bytes()[:100])
    assert run(program, ASK, **cache) == ["compiling", "4"]
    assert run(program, ASK, **cache) == ["4"]


@pytest.mark.parametrize("seed", range(3))
def test_a_file_with_a_flipped_bit_is_compiled_again(program, tmp_path, seed):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    run(program, ASK, **cache)
    draw = random.Random(seed)
    for path in (tmp_path / "cache").rglob("pair.*"):
        content = bytearray(path.read_bytes())
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
    assert run(program, ASK, **cache) == ["compiling", "4"]
    assert run(program, ASK, **cache) == ["4"]


def test_the_code_of_another_kernel_is_compiled_again(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    run(program, ASK, **cache)
    run(program, ASK.replace("high(1)", "high(1.5)"), **cache)
    first, second = (tmp_path / "cache").rglob("pair.*")
    first_content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(first_content)
    assert run(program, ASK, **cache) == ["compiling", "4"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720])
def test_nothing_is_loaded_from_a_folder_that_others_can_write(program, tmp_path, mode):
    cache = tmp_path / "cache"
    run(program, ASK, XDG_CACHE_HOME=cache)
    (folder,) = (cache / "fabriscope" / "kernels").glob("pair-*")
    folder.chmod(mode)
    refusal, *lines = run(program, ASK, XDG_CACHE_HOME=cache)
    assert lines == ["compiling", "4"]
    assert refusal == f"unkept {folder} belongs to another user, or others can write to it"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_nothing_is_loaded_from_a_file_that_others_can_write(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    run(program, ASK, **cache)
    for path in (tmp_path / "cache").rglob("pair.*"):
        path.chmod(0o666)
    assert run(program, ASK, **cache) == ["compiling", "4"]
    assert run(program, ASK, **cache) == ["4"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_nothing_is_loaded_from_a_folder_of_another_user(program, tmp_path):
    cache = tmp_path / "cache"
    run(program, ASK, XDG_CACHE_HOME=cache)
    (folder,) = (cache / "fabriscope" / "kernels").glob("pair-*")
    os.chown(folder, 65534, 65534)
    assert run(program, ASK, XDG_CACHE_HOME=cache)[1:] == ["compiling", "4"]


def a_file(tmp_path):
    (tmp_path / "file").write_text("in the way")
    return tmp_path / "file"


def a_full_disk(tmp_path):
    return Path("/dev/full")


def a_dangling_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "at" / "all")
    return tmp_path / "link"


@pytest.mark.parametrize("place", [a_file, a_full_disk, a_dangling_link])
def test_without_a_folder_kernels_are_compiled_each_time(program, tmp_path, place):
    told = run(program, ASK, XDG_CACHE_HOME=place(tmp_path))
    assert [line for line in told if not line.startswith("unkept")] == ["compiling", "4"]
    assert sum(line.startswith("unkept") for line in told) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="asks HOME")
def test_a_missing_home_folder_is_not_created(program, tmp_path):
    told = run(program, ASK, HOME=tmp_path / "no" / "body")
    assert told[-1] == "4"
    assert any("No such file" in line for line in told)
    assert not (tmp_path / "no").exists()


def test_a_folder_that_cannot_be_written_to_is_read(program, tmp_path):
    cache = tmp_path / "cache"
    run(program, ASK, XDG_CACHE_HOME=cache)
    kept = sorted(cache.rglob("*"))
    # Permissions stop every user but root; this stops root too.
    assert run(program, ASK, 0, XDG_CACHE_HOME=cache) == ["4"]
    other = run(program, ASK.replace("high(1)", "high(1.5)"), 0, XDG_CACHE_HOME=cache)
    assert [line.partition(" ")[0] for line in other] == ["compiling", "unkept", "5.0"]
    assert sorted(cache.rglob("*")) == kept


SPAWNS = """
from core.kernels.folder import Folder
from core.optimise.workers import Task, start_worker
from core.spec import SpecError

class Asks:
    def build(self):
        raise SpecError("folder", str(Folder("pair").path))

class Known:
    def read(self, edition):
        return (), 1

if __name__ == "__main__":
    from pair.high import high
    high(1)
    worker = start_worker(Task(Asks(), Known(), None, 0, None))
    print(Folder("pair").path)
    print(worker.pipe.recv().message)
    worker.process.join()
"""


def test_workers_load_kernels_compiled_before_they_started(whole_program, tmp_path):
    (whole_program / "search.py").write_text(SPAWNS)
    time.sleep(2 * GRAIN)
    mine, worker_output = output_of(start(whole_program, "search.py", XDG_CACHE_HOME=tmp_path / "cache"))
    assert mine == worker_output
    assert (Path(mine) / "made-for").exists()
    assert folders(tmp_path / "cache") == [Path(mine).name]


def test_processes_that_compile_at_once_do_not_disturb_each_other(program, tmp_path):
    cache = {"XDG_CACHE_HOME": tmp_path / "cache"}
    scripts = [ASK.replace("high(1)", f"high({given})") for given in ("1", "1.5", "1")]
    time.sleep(2 * GRAIN)
    started = [start(program, "-c", script, **cache) for script in scripts]
    told = [output_of(child) for child in started]
    assert [lines[-1] for lines in told] == ["4", "5.0", "4"]
    # The first and the last request the same kernel: one of them waited, and read the code that the other had compiled.
    assert sum(lines.count("compiling") for lines in (told[0], told[2])) == 1
    for script, answer in zip(scripts[:2], ("4", "5.0"), strict=True):
        assert run(program, script, **cache) == [answer]
