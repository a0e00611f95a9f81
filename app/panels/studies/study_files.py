"""Study results on disk: listed, loaded with their study, and exported."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from core.files.atomic import reason_of, shown
from core.files.regular import regular
from core.spec import SpecError
from core.sweep.results import Results, Row, read_results
from core.sweep.study import SUFFIX, Study, decode_study, read_study
from core.sweep.table import open_table
from core.text import plural

ENDING = ".parquet"
MAX_EARLIER = 12
"""Maximum number of earlier studies offered."""
NAME_LENGTH = 80


@dataclass(frozen=True)
class LoadedStudy:
    """Results of a study as loaded from a file."""

    path: Path | None
    """The file of its results, or None if the study has none yet."""
    study: Study | None
    """None for a CSV file without its study file in the same folder."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def new_file(folder: Path, study: Study) -> Path:
    """Return the file for a study's results, named by the time and the varied fields."""
    with suppress(OSError):  # the run reports that it cannot write there
        folder.mkdir(parents=True, exist_ok=True)
    varied = re.sub(r"[^\w. -]", "", " ".join(study.paths))[:NAME_LENGTH] or "one point"
    stem = f"{datetime.now():%Y-%m-%d %H.%M.%S} {varied}"
    names = (f"{stem}{f' {number}' if number > 1 else ''}{ENDING}" for number in count(1))
    return next(folder / name for name in names if not (folder / name).exists())


def earlier(folder: Path) -> list[Path]:
    """Return the latest results in a folder, newest first."""
    return sorted(folder.glob(f"*{ENDING}"), key=lambda path: path.stem, reverse=True)[:MAX_EARLIER]


def load_results(path: Path, folder: Path | None) -> LoadedStudy:
    """Return results, or a study without any; files that its scenario names are in `folder`.

    Raises SpecError: if it cannot be read.
    """
    if regular(path).name.endswith(SUFFIX):
        alone = read_study(path)
        return LoadedStudy(None, alone, alone.columns, ())
    results = read_results(path)
    study = _study_of(path, results, folder)
    if study is None or set(results.columns) >= set(study.columns):
        return LoadedStudy(path, study, results.columns, results.rows)
    # Earlier versions recorded less of each point.
    empty = dict.fromkeys(study.columns)
    return LoadedStudy(path, study, study.columns, tuple({**empty, **row} for row in results.rows))


def unfinished(folder: Path, files_in: Path | None) -> str:
    """Return a sentence on the latest study of a folder if points of it are missing, or else an empty text."""
    with suppress(SpecError, OSError):
        for path in earlier(folder)[:1]:
            loaded = load_results(path, files_in)
            points = 0 if loaded.study is None else len(loaded.study.points)
            if len(loaded.rows) < points:
                done = f"{len(loaded.rows):,} of {plural(points, 'point')}"
                return f"“{path.stem}” stopped after {done}. Choose it under Earlier studies, then Resume."
    return ""


def _study_of(path: Path, results: Results, folder: Path | None) -> Study | None:
    if results.study is not None:
        return decode_study(results.study, folder)
    for beside in sorted(path.parent.glob(f"*{SUFFIX}")):
        with suppress(SpecError):
            study = read_study(beside)
            if study.digest == results.digest:
                return study
    return None


def export_rows(path: Path, study: Study, rows: Sequence[Row]) -> None:
    """Export rows of a study to a file, which is replaced only once all is written.

    Raises SpecError: if it cannot be written.
    """
    try:
        with TemporaryDirectory(dir=path.parent, prefix=".study") as folder:
            table = open_table(Path(folder) / path.name, study, resume=False)
            table.add(rows)
            table.close()
            table.path.replace(path)
    except OSError as error:
        raise SpecError("--out", f"{shown(path.name)} cannot be written: {reason_of(error)[0]}") from error
