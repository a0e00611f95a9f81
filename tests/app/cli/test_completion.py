"""`completion`: completion in shells."""

import shutil
import subprocess

import pytest

from app.cli.commands import COMMANDS
from app.cli.completion import SHELLS
from app.cli.main import main

TRIED = {
    "ev": "evaluate",
    "render --view ma": "machine matrix",
    "evaluate --network to": "torus",
    "optimise --method por": "portfolio",
    "timeline --js": "--json",
    "help netw": "network",
    "-q diff --ro": "--routing",
    "evaluate no-such": "no-such.fabriscope.json",
    "evaluate nas-c": "nas-cg-skeleton",
    "explain power775-sm": "power775-smallest",
    "tour sta": "start-here",
    "study sdr-a": "sdr-alpha",
    "metrics Fron": "Frontera Frontier",
    "compare torus sh": "shortcut shortcut-64-nodes",
    "export power775-smallest --to metis": "metis-graph",
    "list pre": "presets",
    "optimise --unit ser": "server",
    "optimise --within super": "supernode",
}
"""Words and their completions."""


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_s_script_knows_all_commands(shell, capsys):
    assert main(["completion", shell]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert all(name in out for name in COMMANDS)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_choices_and_files(tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    (tmp_path / "completion.sh").write_text(capsys.readouterr().out)
    (tmp_path / "no-such.fabriscope.json").touch()
    lines = [". ./completion.sh"]
    for words in TRIED:
        typed = ["fabriscope", *words.split()]
        given = f"COMP_WORDS=({' '.join(typed)}); COMP_CWORD={len(typed) - 1}; COMPREPLY=()"
        lines.append(f'{given}; _shtab_fabriscope; echo "${{COMPREPLY[*]}}"')
    done = subprocess.run(["bash"], input="\n".join(lines), cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == ""
    assert dict(zip(TRIED, done.stdout.splitlines(), strict=True)) == TRIED


def test_other_shells_are_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["completion", "cmd"])
    assert stopped.value.code == 2
    assert "bash" in capsys.readouterr().err
