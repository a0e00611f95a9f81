"""The chapters of the reference."""

import re

from app.wording.reference import as_markdown, chapters
from core.mapping.lattice import label_kernels, schedule, search
from core.mapping.lattice.colouring import LatticeColouring


def chapter():
    """The chapter on lattice colourings in one line."""
    (text,) = chapters(LatticeColouring.tag())
    return " ".join(text.split())


def test_the_phases_of_a_search_agree_with_the_source():
    text = chapter()
    tasks = schedule.TASKS
    for name, phase in zip(("Labels", "Nodes", "Both"), tasks, strict=True):
        first, last = phase.heats
        assert f"*{name}*, {phase.steps:,} steps per task, temperature {first:g} to {last:g}" in text
    assert f"{tasks.joint.relabelled:.0%}".replace("%", " % of the steps change labels") in text
    assert f"{schedule.BLOCK} × {schedule.BLOCK} blocks" in text
    assert f"({label_kernels.JOINED:.0%})".replace("%", " %") in text
    assert f"two nodes ({tasks.places.by_place:.0%})".replace("%", " %") in text
    assert f"at least {search.FAT:g} of the largest possible length" in text
    assert f"by default {LatticeColouring().effort})" in text
    assert search.FAILURES == 3
    assert "fewer than three times" in text


def test_lines_of_a_chapter_begin_no_list_by_accident():
    (text,) = chapters(LatticeColouring.tag())
    # Markdown takes a line that begins with one of these for the item of a list.
    assert not re.search(r"^ *([+*] |\d\d+\. )", text, re.MULTILINE)


def test_characters_of_markdown_are_escaped_outside_code():
    assert as_markdown(r"n[0-9] <= `a|b` * x_y\S|z") == r"n\[0-9\] &lt;= `a|b` \* x\_y\\S\|z"
