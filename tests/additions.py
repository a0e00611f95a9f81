"""The additions that CONTRIBUTING describes, read from it and applied to a copy of the program."""

import re
from pathlib import Path

CONTRIBUTING = Path(__file__).resolve().parent.parent / ".github" / "CONTRIBUTING.md"


def additions():
    """Return the additions by their title: each is a list of (file, whether it is new, text or diff)."""
    sections = re.split(r"^### ", CONTRIBUTING.read_text(), flags=re.M)[1:]
    blocks_by_title = {section.split("\n", 1)[0]: _blocks(section) for section in sections}
    return {title: blocks for title, blocks in blocks_by_title.items() if blocks}


def _blocks(section):
    blocks, path = [], ""
    for part in re.split(r"(```(?:python|diff)\n.*?```)", section, flags=re.S):
        if part.startswith("```"):
            language, _, text = part.strip("`").partition("\n")
            blocks.append((path, language == "python", text))
        else:
            path = next(reversed(re.findall(r"`([\w/]+\.py)`", part)), path)
    return blocks


def make(root, blocks):
    """Apply an addition to a copy of the program."""
    for path, new, text in blocks:
        if new:
            assert not (root / path).exists(), path
            (root / path).write_text(text)
        else:
            (root / path).write_text(patched((root / path).read_text(), text, path))


def patched(content, diff, path):
    """Return the content of a file changed by a diff; each hunk fits one place of it."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        new = "".join(line[1:] for line in lines if line[0] != "-")
        assert content.count(old) == 1, (path, old)
        content = content.replace(old, new)
    return content
