"""Flags follow from the fields that change: every field has one, and equal states have none."""

import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from app.model.changes import EVALUATION, ChangeSet
from app.model.computation import Computation, Kind
from app.model.pointing import Item
from app.model.routes import Drawn
from app.model.state import State
from app.model.state_changes import ANOTHER_NETWORK, FLAGS, FLAGS_IN_GROUPS, GROUP_FLAGS, changes_between
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import Adaptive, DimensionOrder
from tests import patience
from tests.app.sessions import GROUP_OF, session_on, state_of, with_fields

ROOT = Path(__file__).resolve().parents[3]
SMALL = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), DimensionOrder())
STATE = state_of(SMALL)
BY_THEMSELVES = {"evaluation", "computations"}
"""Fields whose flags follow from more than that they differ."""


def test_every_field_has_a_flag():
    assert {field.name for field in fields(State)} == FLAGS.keys() | GROUP_FLAGS.keys() | BY_THEMSELVES
    assert GROUP_OF.keys() > FLAGS_IN_GROUPS.keys()
    assert set(GROUP_OF.values()) == GROUP_FLAGS.keys()


def test_equal_states_have_no_changes():
    assert changes_between(STATE, STATE) is ChangeSet.NONE
    assert changes_between(STATE, replace(STATE, edit=replace(STATE.edit))) is ChangeSet.NONE
    there = replace(STATE, hover=Item("node", 3), marked=np.array([1, 2]))
    assert changes_between(there, replace(there, hover=Item("node", 3), marked=np.array([1, 2]))) is ChangeSet.NONE


@pytest.mark.parametrize("name", [*FLAGS, *(name for name in GROUP_OF if name not in GROUP_FLAGS)])
def test_changed_field_sets_its_flag(name):
    other = with_fields(STATE, **{name: object()})
    flag = FLAGS[name] if name in FLAGS else FLAGS_IN_GROUPS.get(name, GROUP_FLAGS[GROUP_OF[name]])
    assert changes_between(STATE, other) is flag


@pytest.mark.parametrize(
    ("scenario", "flags"),
    [
        (replace(SMALL, network=Torus((4, 4), gbs=1.0)), EVALUATION | ANOTHER_NETWORK),
        (replace(SMALL, mapping=Random(seed=2)), EVALUATION),
        (replace(SMALL, job=Halo(2, 8)), EVALUATION),
        (replace(SMALL, routing=Adaptive()), EVALUATION & ~ChangeSet.MAPPING),
    ],
)
def test_flags_of_another_evaluation_depend_on_its_case(scenario, flags):
    session = session_on(SMALL, sync=True)
    before = session.state
    session.propose(scenario)
    assert changes_between(before, replace(before, evaluation=session.state.evaluation)) is flags
    session.close()


def test_only_the_fraction_of_a_computation_is_progress():
    first, half, other = (
        replace(STATE, computations=(computation,))
        for computation in (
            Computation(Kind.FILE, "a"), Computation(Kind.FILE, "a", 0.5), Computation(Kind.FILE, "b"),
        )
    )  # fmt: skip
    assert changes_between(first, half) is ChangeSet.PROGRESS
    assert changes_between(first, other) is changes_between(STATE, first) is ChangeSet.STATUS


@pytest.fixture
def heard(qapp):
    session, changes = session_on(SMALL, sync=True), []
    session.changed.connect(changes.append)
    yield session, changes
    session.close()


def test_flags_depend_on_the_state_shown(heard):
    session, changes = heard
    session.show(with_fields(session.state, brush=8, hottest_percent=5.0))
    assert changes == [ChangeSet.STYLE | ChangeSet.TOOL]


def test_showing_the_same_state_again_emits_no_signal(heard):
    session, changes = heard
    before = session.state
    session.show(replace(before, edit=replace(before.edit)))
    session.set_brush(before.edit.brush)
    session.mark([])
    assert session.state is before
    assert changes == []


def test_type_checker_rejects_an_unknown_field(tmp_path):
    """It is the guard of every change of the state: a misspelt field, and a value of another type."""
    wrong = (
        "store.show_edit(replace(store.state.edit, brsh=3))",
        'store.show_edit(replace(store.state.edit, brush="three"))',
        "store.show(replace(store.state, hover=3))",
        "store.show_time(store.state.edit)",
        "store.set(brush=3)",
    )
    lines = [
        "from dataclasses import replace",
        "from app.session.store import Store",
        "",
        "def f(store: Store) -> None:",
    ]
    (tmp_path / "typo.py").write_text("\n".join([*lines, *(f"    {line}" for line in wrong)]) + "\n")
    # In a process of its own: mypy switches Python's garbage collector on.
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", tmp_path / "typo.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience.SECONDS)
    assert done.returncode == 1, done.stderr
    refused = {int(number) for number in re.findall(r"typo\.py:(\d+): error", done.stdout)}
    assert refused == {len(lines) + 1 + k for k in range(len(wrong))}, done.stdout


def test_progress_of_the_analysis_of_routes_redraws_no_machine():
    later = with_fields(STATE, progress=0.5)
    assert changes_between(STATE, later) is ChangeSet.ANALYSIS
    assert changes_between(later, with_fields(later, drawn=Drawn.CYCLE)) is ChangeSet.ROUTES
