"""Files that are written next to the files that their scenario names."""

import os
from pathlib import Path

from core.files.atomic import STANDARD, shown
from core.load.scenario import Scenario
from core.spec import SpecError, files_in, is_shipped, with_parts


def check_folder(path: Path, scenario: Scenario, option: str) -> None:
    """Check that the files that a scenario names are found from the file to be written.

    Called before long work. Raises SpecError: under `option`, naming a file in another folder.
    """
    if path == STANDARD or scenario.folder is None or path.parent.resolve() == scenario.folder.resolve():
        return
    background = [
        (f"job {neighbour.name}", part)
        for neighbour in scenario.neighbours
        for part in (neighbour.job, neighbour.mapping)
    ]
    counters = [("comparison of loads", scenario.measured)] if scenario.measured is not None else []
    for reader, choice in (("network", scenario.network), ("job", scenario.job), *background, *counters):
        for file in (file for _, spec in with_parts(choice) for _, file in files_in(spec)):
            inside = os.path.isabs(file) and Path(file).resolve().is_relative_to(path.parent.resolve())
            if inside or is_shipped(file):
                continue
            message = f"must be in the folder {scenario.folder}, where the {reader} finds {shown(str(file))}"
            raise SpecError(option, message)
