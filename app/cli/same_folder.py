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
    if path == STANDARD or scenario.folder is None:
        return
    folder, same = path.parent.resolve(), path.parent.resolve() == scenario.folder.resolve()
    background = [
        (f"job {neighbour.name}", part)
        for neighbour in scenario.neighbours
        for part in (neighbour.job, neighbour.mapping)
    ]
    counters = [("comparison of loads", scenario.measured)] if scenario.measured is not None else []
    for reader, choice in (("network", scenario.network), ("job", scenario.job), *background, *counters):
        for file in (file for _, spec in with_parts(choice) for _, file in files_in(spec)):
            absolute = os.path.isabs(file)
            if is_shipped(file) or (Path(file).resolve().is_relative_to(folder) if absolute else same):
                continue
            wanted = Path(file).parent if absolute else scenario.folder
            message = f"must be in the folder {wanted}, where the {reader} finds {shown(str(file))}"
            raise SpecError(option, message)
