"""The texts of the product by their place: literals of the source, resources, help, and the widgets of windows."""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QComboBox, QGroupBox, QLabel, QLineEdit, QTabBar, QWidget

from app.cli.commands import COMMANDS
from app.cli.main import WINDOW, main
from app.wording.reference import whole_text

ROOT = Path(__file__).parents[2]
PRODUCT, ALL = ("app", "core", "main.py"), ("app", "core", "main.py", "tests")
TWO_WORDS = re.compile(r"[^\W\d_]{2,}\S*\s+\S*[^\W\d_]{2,}")
"""Text rather than a key, a tag or a file name."""
PROSE_KEYS = ("title", "text", "note", "notes")
"""Keys of resources in JSON whose values are read by users."""
REFERENCE_WIDTH = 120


class Text(NamedTuple):
    """A text and where it comes from, such as ``core/spec.py:12`` or ``main window, tool tip``."""

    place: str
    words: str


def source_texts() -> Iterator[Text]:
    """Yield the literals of the source except docstrings, f-strings with their expressions in braces."""
    for path in _sources(PRODUCT):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = {id(node) for node in _docstrings(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                skipped |= {id(part) for part in ast.walk(node) if isinstance(part, ast.Constant)}
        literals = [node for node in ast.walk(tree) if _is_text(node) and id(node) not in skipped]
        for node in sorted(literals, key=lambda node: (node.lineno, node.col_offset)):
            words = _words(node)
            if TWO_WORDS.search(words):
                yield Text(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", words)


def remarks() -> Iterator[Text]:
    """Yield the docstrings and comments of the source and its tests."""
    for path in _sources(ALL):
        place, source = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        for node in _docstrings(ast.parse(source)):
            yield Text(f"{place}:{node.lineno}", _words(node))
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield Text(f"{place}:{token.start[0]}", token.string)


def shipped_texts() -> Iterator[Text]:
    """Yield the prose of the resources and the documents: the reference, tours, presets, studies, templates."""
    chapters = sorted((ROOT / "resources").rglob("*.md"))
    for path in (ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md", *chapters):
        for number, paragraph in _paragraphs(path):
            yield Text(f"{path.relative_to(ROOT).as_posix()}:{number}", paragraph)
    for path in sorted((ROOT / "resources").rglob("*.json")):
        for words in _prose(json.loads(path.read_text(encoding="utf-8"))):
            yield Text(path.relative_to(ROOT).as_posix(), words)
    for path in sorted((ROOT / "resources").rglob("*.html")):
        for words in re.findall(r">([^<>{}]*[^\W\d_][^<>{}]*)<", path.read_text(encoding="utf-8")):
            yield Text(path.relative_to(ROOT).as_posix(), " ".join(words.split()))


def printed_texts() -> Iterator[Text]:
    """Yield the help of all commands and the pages of the reference."""
    yield Text("fabriscope --help", _help_of())
    for command in (WINDOW, *COMMANDS):
        yield Text(f"fabriscope {command} --help", _help_of(command))
    for page in whole_text(REFERENCE_WIDTH).split("\n\n\n"):
        yield Text(f"fabriscope help: {page.partition(':')[0]}", page)


def widget_texts(root: QWidget, name: str) -> Iterator[Text]:
    """Yield the texts, tool tips and accessible names of a window's widgets and actions, each once."""
    unique: dict[Text, None] = {}
    for widget in (root, *root.findChildren(QWidget)):
        kinds = {
            "text": _shown(widget), "title": [widget.windowTitle()], "tool tip": [widget.toolTip()],
            "status tip": [widget.statusTip()], "help": [widget.whatsThis()],
            "name": [widget.accessibleName()], "description": [widget.accessibleDescription()],
        }  # fmt: skip
        unique |= {Text(f"{name}, {kind}", words): None for kind, several in kinds.items() for words in several}
    for action in root.findChildren(QAction):
        unique |= {Text(f"{name}, action", words): None for words in (action.text(), action.toolTip())}
    yield from (text for text in unique if re.search(r"[^\W\d_]{2,}", text.words))


def written(texts: list[Text], path: Path) -> None:
    """Write texts to a file, each file's under a line with its name."""
    lines, folder = [], ""
    for text in texts:
        source = text.place.partition(":")[0] if text.place.endswith(tuple("0123456789")) else text.place
        if source != folder:
            lines += ["", f"== {source}"]
        folder = source
        number = text.place.rpartition(":")[2]
        lines.append(f"{number}: {text.words}" if source != text.place else text.words)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _sources(names: tuple[str, ...]) -> Iterator[Path]:
    for name in names:
        path = ROOT / name
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    # Strings that stand alone document a module, class, function or constant.
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _words(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = (part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}" for part in node.values)
    return "".join(map(str, parts))


def _paragraphs(path: Path) -> Iterator[tuple[int, str]]:
    number = 1
    for paragraph in re.split(r"(\n\n+)", path.read_text(encoding="utf-8")):
        if paragraph.strip():
            yield number, paragraph
        number += paragraph.count("\n")


def _prose(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for inner, part in value.items():
            yield from _prose(part, inner)
    elif isinstance(value, list):
        for part in value:
            yield from _prose(part, key)
    elif isinstance(value, str) and (key in PROSE_KEYS or len(value.split()) > 3):
        yield value


def _help_of(*command: str) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed), suppress(SystemExit):
        main([*command, "--help"])
    return printed.getvalue()


def _shown(widget: QWidget) -> list[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        return [widget.text()]
    if isinstance(widget, QGroupBox):
        return [widget.title()]
    if isinstance(widget, QTabBar):
        return [widget.tabText(index) for index in range(widget.count())]
    if isinstance(widget, QComboBox):
        return [widget.itemText(index) for index in range(widget.count())]
    return [widget.placeholderText()] if isinstance(widget, QLineEdit) else []
