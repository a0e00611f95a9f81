"""Written pages: their commands run, and print the figures that the pages quote."""

import re

import pytest

from app.actions.keys import KEYS
from app.docs import tutorial
from app.docs.tutorial import (
    BLOCK,
    SOURCES,
    TutorialError,
    check_figures,
    quoted,
    source,
    written_page,
    written_pages,
)
from app.wording.stage_keys import STAGE_KEYS

KEY = re.compile(r"`((?:Ctrl\+|Shift\+)*(?:[A-Z]|F\d+|[\].]))`")


@pytest.mark.parametrize("path", written_pages())
def test_a_page_runs_and_its_figures_are_printed(path, qapp, tmp_path):
    work, out = tmp_path / "work", tmp_path / "out"
    work.mkdir()
    out.mkdir()
    page = written_page(path, work, out)
    assert page.text.startswith(f"# {page.title}\n")
    assert page.text.count('```text title="Output"') >= source(path).count("fabriscope evaluate ") > -1
    for name in re.findall(r"\((?!\.\./)([\w-]+\.png)#only-", page.text):
        assert (out / name).read_bytes().startswith(b"\x89PNG")


def test_pages_quote_figures_and_run_commands():
    assert len(written_pages()) == 5
    tutorials = [path for path in written_pages() if path.startswith("tutorials/")]
    assert all(list(quoted(source(path))) for path in tutorials if "show" not in path)
    for path in tutorials:
        assert sum("fabriscope " in text for language, _, text in BLOCK.findall(source(path)) if language == "sh") >= 4


def test_every_key_belongs_to_a_command():
    keys = {key for keys in KEYS.values() for key in keys.split(" or ")}
    used = {key for path in written_pages() for key in KEY.findall(source(path))}
    assert {"B", "P", "F5", "Ctrl+N"} <= used <= keys | {key.shown for key in STAGE_KEYS}


def test_a_figure_must_be_printed_as_quoted():
    check_figures("x", "It reaches 1,020 GB/s, 34.4 % of the bound.", ["1020.2 and 34.375"])
    with pytest.raises(TutorialError, match=r"x: quotes 34\.3, which no command prints"):
        check_figures("x", "It reaches 34.3 % of the bound.", ["34.375"])


def test_figures_of_blocks_and_pictures_are_not_quotes():
    text = '10 GB/s\n\n```sh\necho 20 %\n```\n\n![at 30 %](x.png "window")\n\nand 2× as much\n'
    assert list(quoted(text)) == ["10", "2"]


def test_a_failing_command_ends_the_build(tmp_path):
    with pytest.raises(TutorialError, match="no-such-preset"):
        tutorial.run("sh", "fabriscope evaluate no-such-preset", tmp_path)


def test_a_page_includes_sections_of_other_texts():
    assert "{readme" in (SOURCES / "install.md").read_text()
    text = source("install.md")
    assert "make run      # open the window" in text
    assert "| film | films (MP4, GIF) |" in text
