"""The section on how to reproduce a report: the command and its scenario."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from app.report.document import Code, ReportPart, Section, Words
from core.files import SUFFIX, encode
from core.load.scenario import Scenario
from core.spec import SpecError

SCENARIO_NAME = f"scenario{SUFFIX}"
"""The file name under which to save the scenario in a page."""
MAX_SCENARIO_BYTES = 1 << 18
"""Maximum bytes of a scenario file included in the page."""
NAME, TITLE = "reproduce", "Reproduce this report"
"""Anchor and heading of the section."""


@dataclass(frozen=True)
class Reproduction:
    """The command that reproduces a report, and its scenario."""

    command: str
    scenario: Scenario
    inside: bool = False
    """Whether this state of the scenario is in no file, but only in the page."""


def reproduction_section(reproduction: Reproduction) -> Section:
    """Return the section with the command and the scenario file."""
    content, problem = _content(reproduction.scenario)
    parts: list[ReportPart] = [Code(reproduction.command)]
    if reproduction.inside and content:
        parts.insert(0, Words([f"Save the scenario below as {SCENARIO_NAME}, then run:"]))
    parts.append(Code(content, f"Scenario file ({SUFFIX})") if content else Words([problem]))
    return Section(NAME, TITLE, parts)


def _content(scenario: Scenario) -> tuple[str, str]:
    # The content of the file, or why it is not in the page.
    try:
        content = encode(scenario, scenario.folder).decode()
    except SpecError as error:
        return "", f"The scenario is not included in this page: {error}."
    if len(content) > MAX_SCENARIO_BYTES:
        return "", f"The scenario is not included in this page because of its size ({len(content) >> 10:,} KiB)."
    return content, ""


def failure_options(what: str | None, sample: int | None) -> list[str]:
    """Return the options of a document's command for failures of a kind of component, or of a random sample of them."""
    given = {"--failures": what, "--sample": sample}
    return [word for option, value in given.items() if value is not None for word in (option, str(value))]


def command_line(words: Sequence[str]) -> str:
    """Return a command quoted for a shell."""
    return shlex.join(["fabriscope", *words])
