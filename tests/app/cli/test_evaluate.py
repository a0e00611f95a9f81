"""`evaluate`: the table of link classes."""

import pytest

from app.cli.main import main


@pytest.mark.parametrize("names", ["a b 12.5\nb c 25\nc a 12.5\n", "a b\nb c\nc a\n"])
def test_columns_are_aligned_for_any_class_names(tmp_path, capsys, names):
    (tmp_path / "n.edges").write_text(names)
    assert main(["evaluate", "--network", f"edges:file={tmp_path}/n.edges", "--job", "all-to-all:tasks=3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("class"))
    rows = [line for line in lines[head + 1 : lines.index("", head)] if line]
    assert rows
    for name in ("links", "GB/s", "max load", "mean load"):
        end = lines[head].index(name) + len(name)
        assert all(row[end - 1].isdigit() and row[end] == " " for row in rows), (name, rows)


def test_other_figures_are_listed_with_their_meaning(capsys):
    assert main(["evaluate", "power775-halo"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "Messages 16,384 messages between different tasks" in lines
    assert "Share of idle links 51.7 % links without load as a share of all links" in lines
