"""Ctrl-C ends the program quietly during any import."""

import signal
import sys

import pytest

from app.cli.streams import Interrupts
from tests import programs
from tests.app.cli.program import MAIN

IN_AN_IMPORT = """
import builtins, os, runpy, signal, sys
load = builtins.__import__

def interrupted(name, *rest, **options):
    if name == {name!r}:
        builtins.__import__ = load
        os.kill(os.getpid(), signal.SIGINT)
        {after}
    return load(name, *rest, **options)

builtins.__import__ = interrupted
sys.path.insert(0, os.path.dirname({main!r}))
sys.argv = [{main!r}, *{arguments!r}]
runpy.run_path({main!r}, run_name="__main__")
"""
SWALLOWED = "raise AttributeError('has no attribute Key')"


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("after", ["pass", SWALLOWED])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("app.cli.main", ["evaluate", "hypercube-64-nodes"]),
        ("app.cli.streams", ["evaluate", "hypercube-64-nodes"]),
        ("core.load.bounds", ["evaluate", "hypercube-64-nodes"]),
        ("app.stage.film", ["film", "hypercube-64-nodes", "--out", "a.gif"]),
        ("PySide6.QtGui", ["render", "hypercube-64-nodes", "--out", "a.png"]),
    ],
)
def test_ctrl_c_in_an_import_is_quiet(tmp_path, name, arguments, after):
    script = IN_AN_IMPORT.format(name=name, arguments=arguments, main=str(MAIN), after=after)
    ended = programs.run([], ["-c", script], cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (130, ""), ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list(tmp_path.iterdir())


def test_an_error_without_ctrl_c_is_unchanged():
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(AttributeError), Interrupts():
            raise AttributeError("a bug")
    finally:
        signal.signal(signal.SIGINT, before)
