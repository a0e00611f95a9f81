"""The reference, generated from the declarations that files, forms and messages use."""

from importlib.resources import files
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTextBrowser, QWidget

from app.actions.keys import with_keys
from app.actions.spec import ActionSpec
from app.actions.table import ACTIONS
from app.widgets.layouts import column
from app.wording.reference import default_text, presets_text
from app.wording.stage_keys import STAGE_KEYS
from core.figures.reference import PLACEHOLDERS, grouped, meaning, unit_text
from core.files.scenario_file import describe
from core.load.scenario import UNIONS
from core.optimise.method import AnyMethod
from core.optimise.objective import AnyObjective
from core.spec import Spec, fields_of, members
from core.timing import AnyTiming


class HelpWindow(QWidget):
    """The reference in a window of its own."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle("Fabriscope reference")
        self.resize(760, 820)
        self.text = QTextBrowser()
        self.text.setMarkdown(reference())
        self.text.document().setDocumentMargin(24)
        column(self.text, of=self)


def reference() -> str:
    """Return the entire reference as Markdown."""
    parts = [
        with_keys((files("resources") / "help.md").read_text(encoding="utf-8")),
        "## Keys and commands",
        _commands(),
        "### On stage",
        _stage_keys(),
        "## Figures",
        _figures(),
    ]
    choices: dict[str, Any] = {f"{name.capitalize()}: the choices": union for name, union in UNIONS.items()}
    choices |= {
        "Timing: the choices": AnyTiming,
        "Optimiser: objectives": AnyObjective,
        "Optimiser: methods": AnyMethod,
    }
    for title, union in choices.items():
        parts += [f"## {title}", *map(_family, members(union))]
    return "\n\n".join(parts)


def _figures() -> str:
    parts = [PLACEHOLDERS]
    for title, figures in grouped().items():
        rows = [f"| {figure.name} | {meaning(figure)} | {unit_text(figure)} |" for figure in figures]
        parts.append("\n".join([f"### {title}\n", "| figure | | unit |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def _commands() -> str:
    rows = [f"| {_menu(spec)} | {spec.shortcut or '–'} | {spec.tip} |" for spec in ACTIONS]
    return "\n".join(["| command | key | |", "|---|---|---|", *rows])


def _stage_keys() -> str:
    rows = [f"| {key.shown} | {key.does}{', if the scene allows editing' * key.edits} |" for key in STAGE_KEYS]
    return "\n".join(["| key | |", "|---|---|", *rows])


def _menu(spec: ActionSpec) -> str:
    return " › ".join([*spec.menu.split("/")[1:], spec.title.rstrip(" …")])


def _family(spec: type[Spec]) -> str:
    text = [f"### {spec.title} (`{spec.tag()}`)", (spec.__doc__ or "").strip()]
    rows = [f"| `{f.name}` | {describe(f)} | {default_text(f.default, f.required)} |" for f in fields_of(spec)]
    if rows:
        text.append("\n".join(["| field | takes | default |", "|---|---|---|", *rows]))
    if spec.presets:
        text.append(f"Presets: {presets_text(spec)}")
    return "\n\n".join(text)
