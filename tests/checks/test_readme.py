"""Commands of the README that last more than ten seconds; run by ``pytest tests/checks``, not by ``make test``."""

import pytest

from tests.app.cli.program import run
from tests.readme import program_arguments, program_commands


@pytest.mark.parametrize("command", program_commands(slow=True))
def test_a_slow_command_runs_as_printed(command, tmp_path):
    arguments = program_arguments(command)
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / arguments[arguments.index("--out") + 1]).stat().st_size
