"""Digests of scenarios: they depend on choices and on the contents of files, and on nothing else."""

from dataclasses import fields, replace

import pytest

from core.files import decode, encode
from core.files.digest import digest_of, source_of
from core.files.scenario_file import PLACES
from core.job import AllToAll
from core.load.scenario import CHOICES, Scenario, Snapshot
from core.mapping import FromFile, Random, Sequential
from core.network import LinkFault, Torus
from core.routing import DimensionOrder, Minimal
from core.timing import FairShare

PLAIN = Scenario(Torus((4, 4)), AllToAll(tasks=16), Sequential(), Minimal())
CHANGED = {
    "network": Torus((4, 5)), "job": AllToAll(tasks=8), "mapping": Random(seed=3), "routing": DimensionOrder(),
    "timing": FairShare(), "faults": (LinkFault(0, 1),), "allocation": "0-15", "down": ("3",),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_it_depends_on_every_choice(name):
    assert digest_of(replace(PLAIN, **{name: CHANGED[name]})) != digest_of(PLAIN)
    assert set(CHANGED) <= {field.name for field in fields(Scenario)}
    assert {*CHOICES} <= {*CHANGED}


def test_it_does_not_depend_on_notes_snapshots_and_a_round_trip(tmp_path):
    noted = replace(PLAIN, note="a note", snapshots=(Snapshot("other", PLAIN),))
    assert digest_of(noted) == digest_of(PLAIN) == digest_of(decode(encode(noted), tmp_path))


def test_it_depends_on_the_contents_of_files_but_not_on_their_names(tmp_path):
    (tmp_path / "a.txt").write_text("0\n1\n2\n")
    (tmp_path / "b.txt").write_text("0\n1\n2\n")
    a, b, absolute = (
        replace(PLAIN, mapping=FromFile(file=name), folder=tmp_path)
        for name in ("a.txt", "b.txt", str(tmp_path / "a.txt"))
    )
    before = digest_of(a)
    assert before == digest_of(b) == digest_of(absolute) != digest_of(PLAIN)
    (tmp_path / "a.txt").write_text("0\n2\n1\n")
    assert digest_of(a) != before


def test_a_source_names_each_scenario_once():
    other = replace(PLAIN, network=Torus((4, 5)))
    version, _, scenarios = source_of(PLAIN, other, PLAIN).partition(", scenarios ")
    assert version.startswith("Fabriscope ")
    assert scenarios.split(", ") == [digest_of(PLAIN), digest_of(other)]
    assert source_of() == version


def test_all_fields_of_a_scenario_are_covered():
    uncounted = {"note", "folder", "snapshots"}
    covered = {*CHOICES, *PLACES, "timing", "faults"}
    assert {field.name for field in fields(Scenario)} - uncounted == covered
