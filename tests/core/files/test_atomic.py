"""Writing files: after any failure the old file is intact, and the message says what to do."""

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from core.files import write_links, write_scenario
from core.files.atomic import replacing, write_atomically
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Percs
from core.routing import PercsDirect
from core.spec import SpecError
from tests import patience

ROOT = Path(__file__).parents[3]
SMALL = Scenario(Percs(supernodes=2), Halo(rows=8, cols=8), Sequential(), PercsDirect())


def failing(code):
    """A system call that fails with this code."""

    def call(*arguments, **options):
        raise OSError(code, os.strerror(code))

    return call


def refused(path, content=b"new"):
    with pytest.raises(SpecError) as caught:
        write_atomically(path, content)
    assert caught.value.field == "file"
    assert "\n" not in caught.value.message
    return caught.value.message


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def in_a_child(script, *arguments):
    """The output of a separate process, in which `write_atomically` is imported."""
    head = "import os, signal, sys\nfrom pathlib import Path\nfrom core.files.atomic import *\n"
    done = subprocess.run(
        [sys.executable, "-c", head + script, *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=patience.SECONDS, check=False,
    )  # fmt: skip
    assert not done.stderr
    return done


def test_a_file_is_written_and_then_replaced(tmp_path):
    path = tmp_path / "a.json"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == ["a.json"]


@pytest.mark.parametrize("call", ["open", "chmod", "fsync", "replace"])
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "the disk is full; free some space, or save it elsewhere"),
        (errno.EROFS, "the disk is read-only; save it elsewhere"),
        (errno.EBUSY, "; try again, or save it elsewhere"),
    ],
)
def test_any_failure_leaves_only_the_old_file(call, code, words, tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, call, failing(code))
    message = refused(path)
    assert message.startswith("a.json cannot be written: ")
    assert message.endswith(words)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.json"]


def test_an_error_while_writing_leaves_the_old_file_and_is_reported(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), replacing(path) as stream:
        stream.write("text")
    with pytest.raises(ValueError, match="closed"), replacing(path) as stream:
        stream.close()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.json"]


def test_invalid_paths_are_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    gone = "its folder does not exist; save it elsewhere"
    assert refused(tmp_path / "none" / "a.json") == f"{tmp_path / 'none' / 'a.json'} cannot be written: {gone}"
    assert refused(tmp_path / "file" / "a.json") == f"{tmp_path / 'file' / 'a.json'} cannot be written: {gone}"
    assert refused(tmp_path).endswith("it is a folder; choose another name")
    assert refused(tmp_path / ("x" * 400)).endswith("its name is too long; choose a shorter name")
    assert refused(tmp_path / "a\0b").endswith("choose another name")
    assert "a?b/c?d cannot" in refused(tmp_path / "a\nb" / "c\nd")
    assert names(tmp_path) == ["file"]


def test_a_folder_that_vanishes_while_writing_is_reported(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(SpecError, match="its folder does not exist"), replacing(folder / "a.json"):
        shutil.rmtree(folder)
    assert names(tmp_path) == []


if os.name == "posix":  # elsewhere permissions, links and limits differ

    def test_permissions_are_kept_and_new_files_follow_the_umask(tmp_path):
        path = tmp_path / "a.json"
        path.write_bytes(b"old")
        path.chmod(0o640)
        write_atomically(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        other = tmp_path / "b.json"
        in_a_child("os.umask(0o027); write_atomically(Path(sys.argv[1]), b'new')", other)
        assert stat.S_IMODE(other.stat().st_mode) == 0o640

    def test_a_symbolic_link_stays_a_link(tmp_path):
        (tmp_path / "far").mkdir()
        target, link, dangling = tmp_path / "far" / "a.json", tmp_path / "link.json", tmp_path / "new.json"
        target.write_bytes(b"old")
        link.symlink_to(target)
        dangling.symlink_to(tmp_path / "far" / "b.json")
        write_atomically(link, b"new")
        write_atomically(dangling, b"new")
        assert link.is_symlink()
        assert dangling.is_symlink()
        assert (target.read_bytes(), (tmp_path / "far" / "b.json").read_bytes()) == (b"new", b"new")
        assert names(tmp_path) == ["far", "link.json", "new.json"]
        assert names(tmp_path / "far") == ["a.json", "b.json"]

    def test_a_full_disk_is_reported(monkeypatch):
        monkeypatch.setattr(os, "replace", failing(errno.EPERM))  # a device cannot be replaced by a file
        path = Path("/dev/full")
        assert refused(path) == "full cannot be written: the disk is full; free some space, or save it elsewhere"
        assert stat.S_ISCHR(path.stat().st_mode)

    def test_a_file_larger_than_allowed_leaves_the_old_one(tmp_path):
        path = tmp_path / "a.json"
        path.write_bytes(b"old")
        script = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_atomically(Path(sys.argv[1]), b"x" * 300_000)
except ValueError as error:
    print(error)
"""
        printed = in_a_child(script, path).stdout
        assert printed == "file: a.json cannot be written: it is too large for this file system; save it elsewhere\n"
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["a.json"]

    def test_read_only_folders_and_files_are_refused():
        # Nothing is read-only to root: the child runs as another user, in a folder that this user can reach.
        script = """
folder = Path(sys.argv[1])
if os.geteuid() == 0:
    for place in (folder, *folder.rglob("*")):
        os.chown(place, 65534, 65534)
    os.setuid(65534)
for name in ("closed/a.json", "closed/b.json", "open/a.json"):
    try:
        write_atomically(folder / name, b"new")
    except ValueError as error:
        print(error)
"""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for sub, mode in (("closed", 0o644), ("open", 0o444)):
                (folder / sub).mkdir()
                (folder / sub / "a.json").write_bytes(b"old")
                (folder / sub / "a.json").chmod(mode)
            (folder / "closed").chmod(0o555)
            printed = in_a_child(script, folder).stdout.splitlines()
            (folder / "closed").chmod(0o755)
            assert [line.split(": ")[1] for line in printed] == [f"{n}.json cannot be written" for n in "aba"]
            assert all(line.endswith("it or its folder is read-only; save it elsewhere") for line in printed)
            assert (folder / "closed" / "a.json").read_bytes() == (folder / "open" / "a.json").read_bytes() == b"old"
            assert names(folder / "closed") == names(folder / "open") == ["a.json"]

    @pytest.mark.parametrize("call", ["open", "write", "fsync", "replace", "saved"])
    def test_a_kill_at_any_step_leaves_a_complete_file(call, tmp_path):
        """The second save dies right before each of its steps, or after the last step."""
        path = tmp_path / "a.json"
        script = """
path, call = Path(sys.argv[1]), sys.argv[2]
write_atomically(path, b"old" * 100_000)
def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
if hasattr(os, call) and call != "write":
    setattr(os, call, die)
with replacing(path) as stream:
    stream.write(b"new" * 100_000)
    if call == "write":
        stream.flush()
        die()
die()
"""
        assert in_a_child(script, path, call).returncode == -9
        assert path.read_bytes() == (b"new" if call == "saved" else b"old") * 100_000

    def test_a_kill_during_many_saves_leaves_a_complete_file(tmp_path):
        """Forty processes save without end, and each is killed at any moment after some saves."""
        script = """
path = Path(sys.argv[1])
contents = [bytes([65 + k]) * (50_000 + 7_000 * k) for k in range(6)]
write_atomically(path, contents[0])
for turn in range(40):
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        while True:
            for content in contents:
                write_atomically(path, content)
                os.write(told, b".")
    os.close(told)
    for _ in range(1 + turn % 5):
        os.read(heard, 1)
    sum(range(997 * turn))  # not always at the same step
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(heard)
    print(path.read_bytes() in contents)
"""
        assert in_a_child(script, tmp_path / "a.json").stdout.split() == ["True"] * 40


def test_scenarios_and_links_are_written_atomically(tmp_path, monkeypatch):
    scenario, links = tmp_path / "a.fabriscope.json", tmp_path / "a.csv"
    report = evaluate(SMALL.build())
    write_scenario(scenario, SMALL)
    write_links(links, report)
    before = scenario.read_bytes(), links.read_bytes()
    monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    with pytest.raises(SpecError, match=r"^file: a\.fabriscope\.json cannot be written: the disk is full"):
        write_scenario(scenario, Scenario(Percs(supernodes=4), Halo(), Sequential(), PercsDirect()))
    with pytest.raises(SpecError, match=r"^--links: a\.csv cannot be written: the disk is full"):
        write_links(links, report)
    assert (scenario.read_bytes(), links.read_bytes()) == before
    assert names(tmp_path) == ["a.csv", "a.fabriscope.json"]
