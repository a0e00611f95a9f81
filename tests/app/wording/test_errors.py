"""Errors name the labels of the forms instead of the paths of scenario files."""

import pytest

from app.wording.errors import error_text, field_label, label_of, message_text
from core.job.halo import Halo
from core.job.sequence import Sequence
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import Minimal
from core.spec import SpecError

STEPS = Sequence(parts=(Halo(rows=2, cols=2), Halo(rows=4, cols=2)))
SCENARIO = Scenario(
    Torus(), STEPS, Sequential(), Minimal(), neighbours=(Neighbour(name="ocean", job=STEPS, mapping=Sequential()),)
)


@pytest.mark.parametrize(
    ("field", "label"),
    [
        ("job", "Job"),
        ("mapping.type", "Mapping"),
        ("job.parts[1].rows", "Rows of part 2"),
        ("job.parts[5].rows", "Rows of part 6"),
        ("allocation", "Job's nodes"),
        ("hosts.file", "Host names"),
        ("neighbours[0].allocation", "Nodes of job ocean"),
        ("neighbours[0].job.parts[0].cols", "Columns of part 1 of job ocean"),
        ("neighbours[3].allocation", "Nodes of background job 4"),
        ("neighbours", ""),
        ("faults[2].speed", "Speed of fault 3"),
        ("scenes[1].scenario.job.rows", "Rows of scene 2"),
        ("vary.job.parts[0].rows", "Rows of part 1"),
        ("optimise.seconds", "Search"),
        ("file", ""),
        ("edit", ""),
        ("--out", ""),
    ],
)
def test_a_field_has_the_label_of_its_form(field, label):
    assert label_of(field, SCENARIO) == label


def test_without_a_scenario_the_label_is_that_of_all_families():
    assert label_of("job.parts") == "Parts"
    assert label_of("routing.no_such_field") == "No such field"


def test_an_entry_of_a_list_is_numbered_from_1():
    assert field_label("parts[0].rows", STEPS) == "Rows of part 1"
    assert field_label("dims[1]", SCENARIO.network) == "Dimensions, entry 2"


def test_an_error_is_shown_after_its_label_and_without_paths():
    error = SpecError("job.parts", "parts[1] has 8 tasks, and parts[0] 16")
    assert message_text(error) == "part 2 has 8 tasks, and part 1 16"
    assert error_text(error, SCENARIO) == "Parts: part 2 has 8 tasks, and part 1 16"
    assert error_text(SpecError("file", "a.json cannot be read"), SCENARIO) == "a.json cannot be read"
