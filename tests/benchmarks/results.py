"""What benchmarks measure, kept in RESULTS.md: each row with a date of its own, as few may be renewed."""

import ast
import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from datetime import date
from pathlib import Path

import pytest

HEADER = "| what | measured | beside | run | date | machine |\n|---|---|---|---|---|---|\n"
TITLE = """# What is measured

Written by `make bench`, which renews the rows of the benchmarks that it runs; not to be edited. Each row has the
command that renews it. Windows are drawn on a virtual screen, by software: without a graphics card.
"""


@dataclass(frozen=True)
class Row:
    """A figure, and where it comes from."""

    module: str
    """Name of the file that measures it, without its ending."""
    what: str
    """Tells it from all others of its module."""
    figure: str
    beside: str
    """What it is compared with in the same run."""
    command: str
    date: str
    machine: str

    @property
    def source(self) -> tuple[str, str]:
        """Return the module and the name of the function that measures it."""
        return self.module, self.command.partition("-k ")[2].rstrip('"`')

    @property
    def order(self) -> list[tuple[int, str]]:
        """Return what rows are sorted by: their modules, then their words, numbers as numbers."""
        parts = re.findall(r"\d+|\D+", f"{self.module} {self.what}".replace(",", ""))
        return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]

    def __str__(self) -> str:
        """Return the line of the table."""
        return f"| {' | '.join(astuple(self)[1:])} |\n"


def read(text: str) -> list[Row]:
    """Return the rows of a file of results."""
    rows, module = [], ""
    for line in text.splitlines():
        if line.startswith("## "):
            module = line.removeprefix("## ").removesuffix(".py")
        elif line.startswith("| ") and line not in HEADER:
            rows.append(Row(module, *line[2:-2].split(" | ")))
    return rows


def written(rows: Iterable[Row], folder: Path) -> str:
    """Return the file of results; what each module says of itself stands above its rows."""
    text, module = TITLE, ""
    for row in sorted(rows, key=lambda row: row.order):
        if row.module != module:
            module = row.module
            text += (
                f"\n## {module}.py\n\n{ast.get_docstring(ast.parse((folder / f'{module}.py').read_text()))}\n\n{HEADER}"
            )
        text += str(row)
    return text


def quoting(text: str, rows: Iterable[Row]) -> str:
    """Return a text with the lines that quote a row's name, figure and comparison as they are now."""
    quotes = {row.what: f"| {row.what} | {row.figure} | {row.beside} |" for row in rows}
    lines = text.split("\n")
    return "\n".join(quotes.get(line[2:].partition(" | ")[0], line) if line[:2] == "| " else line for line in lines)


def machine() -> str:
    """Return the processor's model and its number of cores, and no name of anyone's machine."""
    if platform.system() == "Darwin":
        asked = subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True)
        model = asked.stdout.strip()
    else:
        told = Path("/proc/cpuinfo")
        named = re.search(r"^model name\s*: (.*)", told.read_text() if told.exists() else "", re.M)
        model = named[1] if named else platform.processor()
    return f"{model or platform.machine()}, {os.cpu_count()} cores"


class Results:
    """Gathers the rows of a run, as a plugin of pytest, and writes them at its end, however it ends.

    Rows of tests that did not run stay. A run that is not narrowed down lets those go that their tests, passed in full,
    no longer measure, and those of tests that are no more.
    """

    def __init__(self, folder: Path, readme: Path) -> None:
        """`folder` has the benchmarks and RESULTS.md; `readme` quotes it."""
        self.folder, self.path, self.readme = folder, folder / "RESULTS.md", readme
        self.measured: dict[tuple[str, str], Row] = {}
        self.passed: Counter[tuple[str, str]] = Counter()

    @pytest.fixture
    def record(self, request, capsys):
        """Return what keeps a row and tells it, past the capture: its name, its figure, what that is beside others."""
        module, test = of_test(request.node.nodeid)
        command = f'`make bench ARGS="-k {test}"`'

        def keep(what: str, figure: str, beside: str = "") -> None:
            assert " | " not in what + figure + beside
            row = Row(module, what, figure, beside, command, date.today().isoformat(), machine())
            self.measured[module, what] = row
            with capsys.disabled():
                print(f"\n    {what}: {figure}{beside and f'; {beside}'}")

        return keep

    def pytest_runtest_logreport(self, report):
        """Count the tests that passed."""
        self.passed[of_test(report.nodeid)] += report.when == "call" and report.passed

    def pytest_sessionfinish(self, session):
        """Write what was measured; side by side in processes of xdist benchmarks tell nothing."""
        if not self.measured or hasattr(session.config, "workerinput"):
            return
        kept_rows = {(row.module, row.what): row for row in self._kept(session)}
        rows = [*(kept_rows | self.measured).values()]
        self.path.write_text(written(rows, self.folder))
        self.readme.write_text(quoting(self.readme.read_text(), rows))

    def _kept(self, session) -> list[Row]:
        rows = read(self.path.read_text()) if self.path.exists() else []
        rows = [row for row in rows if (self.folder / f"{row.module}.py").exists()]
        option = session.config.option
        if option.keyword or option.lf or any("::" in argument for argument in session.config.args):
            return rows
        collected = Counter(of_test(item.nodeid) for item in session.items)
        modules = {module for module, _ in collected}
        # Of a test that is no more none was collected, and none passed.
        return [row for row in rows if row.module not in modules or self.passed[row.source] < collected[row.source]]


def of_test(nodeid: str) -> tuple[str, str]:
    """Return a test's module, without its ending, and its function."""
    path, _, name = nodeid.partition("::")
    return Path(path).stem, name.partition("[")[0]
