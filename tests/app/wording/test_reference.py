"""The chapters of the reference."""

import re

from app.wording.reference import chapters
from core.mapping.lattice import kernels, search, trial
from core.mapping.lattice.colouring import LatticeColouring


def chapter():
    """The chapter on lattice colourings in one line."""
    (text,) = chapters(LatticeColouring.tag())
    return " ".join(text.split())


def test_the_phases_of_a_search_agree_with_the_source():
    text = chapter()
    phases = {
        "Labels": (trial.LABEL_STEPS, trial.LABEL_HEATS),
        "Nodes": (trial.PLACE_STEPS, trial.PLACE_HEATS),
        "Both": (trial.JOINT_STEPS, trial.JOINT_HEATS),
    }
    for name, (steps, (first, last)) in phases.items():
        assert f"*{name}*, {steps:,} steps, temperature {first:g} to {last:g}" in text
    assert f"{trial.RELABELLED:.0%}".replace("%", " % of the steps change labels") in text
    assert f"({kernels.JOINED:.0%})".replace("%", " %") in text
    assert f"two nodes ({kernels.WHOLE:.0%})".replace("%", " %") in text
    assert f"at least {search.FAT:g} of the largest possible length" in text
    assert f"by default {LatticeColouring().effort})" in text
    assert search.FAILURES == 3
    assert "fewer than three times" in text


def test_lines_of_a_chapter_begin_no_list_by_accident():
    (text,) = chapters(LatticeColouring.tag())
    # Markdown takes a line that begins with one of these for the item of a list.
    assert not re.search(r"^ *([+*] |\d\d+\. )", text, re.MULTILINE)
