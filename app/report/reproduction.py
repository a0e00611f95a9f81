"""The section on how to make a report again: the command and the scenario that it takes."""

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


@dataclass(frozen=True)
class Again:
    """The command that makes a report again, and its scenario."""

    command: str
    scenario: Scenario
    inside: bool = False
    """Whether this state of the scenario is only in the page, in no file."""


def again_section(again: Again) -> Section:
    """Return the section with the command and the scenario file."""
    content, why = _content(again.scenario)
    parts: list[ReportPart] = [Code(again.command)]
    if again.inside and content:
        parts.insert(0, Words([f"Save the scenario below as {SCENARIO_NAME}, then:"]))
    parts.append(Code(content, f"The scenario, as {SUFFIX} files have it") if content else Words([why]))
    return Section("again", "How to make it again", parts)


def _content(scenario: Scenario) -> tuple[str, str]:
    # The file's content, or why it is not in the page.
    try:
        content = encode(scenario, scenario.folder).decode()
    except SpecError as error:
        return "", f"The scenario is not in this page: {error}."
    if len(content) > MAX_SCENARIO_BYTES:
        return "", f"The scenario, {len(content) >> 10:,} KiB, is not in this page: save it as a file."
    return content, ""


def command_line(words: Sequence[str]) -> str:
    """Return a command quoted for a shell."""
    return shlex.join(["fabriscope", *words])
