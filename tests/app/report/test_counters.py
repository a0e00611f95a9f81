"""Counters in a report: words, tables and a picture of the difference, with the figures of `measured`."""

from dataclasses import replace

import numpy as np
import pytest

from app.model.measurement import LinkSource
from app.report.counters import counters_section
from app.report.document import PicturePlace, Table, Words
from app.report.drawings import plain_drawings
from app.session.session import Session
from app.style.theme import LIGHT
from app.wording.numbers import MINUS, significant
from core.counters.measured import Measured
from core.files import read_scenario, write_scenario
from core.load.evaluate import evaluate
from tests.app.measured import measured_scenario, planted
from tests.app.report.test_comparison import number

SIZE = (600, 400)
SLOW, OTHER, MISSING = planted()


def reading(folder, name, parts):
    """Counters of ports of the scenario's links in a file, of which a part of the values has passed."""
    rows = (folder / "counters.csv").read_text().splitlines()
    cells = [row.rsplit(",", 2) for row in rows[1:]]
    scaled = [f"{ends},{int(sent) * parts // 4},{wait}" for ends, sent, wait in cells]
    (folder / name).write_text("\n".join([rows[0], *scaled]))


def test_links_have_the_figures_of_the_comparison(tmp_path):
    report = evaluate(measured_scenario(tmp_path).build())
    words, pictures, classes, more, slow = counters_section(report, SIZE).parts
    links = report.case.network.links
    assert words.lines[0].startswith(f"{links - len(MISSING)} links of {links} have counters over 1 s.")
    assert words.lines[-1] == "More than predicted: 1 link. Slow: 1 link. Ends that disagree: 0 links."
    assert pictures.pictures[0].size == SIZE
    assert [row[0] for row in classes.rows] == [c.name for c in report.case.network.classes]
    for table, link in ((more, OTHER), (slow, SLOW)):
        ((_, src, dst, measured, predicted, residual, _),) = table.rows
        assert (src, dst) == report.case.network.link_ends(link)
        assert abs(number(residual) - (number(measured) - number(predicted))) < 1e-3
    assert slow.rows[0][5].startswith(MINUS)
    assert more.rows[0][5].startswith("+")


def test_intervals_and_ends_that_disagree_have_tables(tmp_path):
    scenario = measured_scenario(tmp_path)
    for name, parts in (("before.csv", 0), ("between.csv", 1)):
        reading(tmp_path, name, parts)
    measured = Measured(after="counters.csv", before="before.csv", between=("between.csv",), seconds=8.0)
    report = evaluate(replace(scenario, measured=measured).build())
    links = report.case.measured
    differing = replace(links, received=np.where(np.arange(links.gb.size) == OTHER, 2 * links.gb, links.gb))
    report = replace(report, case=replace(report.case, measured=differing))
    *_, ends, intervals = (part for part in counters_section(report, SIZE).parts if isinstance(part, Table))
    ((_, *names, sent, received),) = ends.rows
    assert tuple(names) == report.case.network.link_ends(OTHER)
    assert number(received) == pytest.approx(2 * number(sent), rel=1e-3)
    assert [row[:2] for row in intervals.rows] == [("0", significant(4.0)), (significant(4.0), significant(4.0))]
    first, second = (number(row[4]) for row in intervals.rows)
    assert second == pytest.approx(3 * first, rel=1e-3)


def test_the_picture_shows_differences_whatever_the_window_shows(tmp_path, qapp):
    write_scenario(tmp_path / "s.fabriscope.json", measured_scenario(tmp_path))
    session = Session.of(read_scenario(tmp_path / "s.fabriscope.json"), theme=LIGHT, sync=True)
    session.set_source(LinkSource.WAIT)
    drawings = plain_drawings(session.state, [PicturePlace(name, name, SIZE) for name in ("machine", "counters")])
    session.close()
    assert f"Measured {MINUS} predicted, GB/s" in drawings["counters"].light
    assert "Load ÷ bandwidth" in drawings["machine"].light
    assert "Wait" not in drawings["machine"].light


def test_words_are_sentences(tmp_path):
    for part in counters_section(evaluate(measured_scenario(tmp_path).build()), SIZE).parts:
        if isinstance(part, Words):
            assert all(line.endswith(".") for line in part.lines)
