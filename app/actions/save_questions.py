"""Questions before files are written or changes are lost. All buttons have mnemonics, and Escape cancels."""

import enum
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

Button = QMessageBox.StandardButton
Role = QMessageBox.ButtonRole
Answer = TypeVar("Answer", bound=enum.Enum)


class InvalidAnswer(enum.Enum):
    """The answer for a scenario that cannot be evaluated; the value is the text of the button."""

    SAVE_VALID = "Save the &last valid state"
    SAVE_ANYWAY = "&Save anyway"
    CANCEL = "&Cancel"


class ChangedAnswer(enum.Enum):
    """The answer for a file that another program has changed; the value is the text of the button."""

    OVERWRITE = "&Overwrite"
    SAVE_AS = "&Save as …"
    RELOAD = "&Reload"
    COMPARE = "Co&mpare"
    CANCEL = "&Cancel"


def ask_invalid(parent: QWidget, problem: str, valid: str | None) -> InvalidAnswer:
    """Ask what to save of a scenario with an error.

    Parameters
    ----------
    problem
        The error.
    valid
        Throughput of the last valid state, or None if there is none.
    """
    box = _box(parent, "Invalid settings", f"These settings have an error:\n{problem}")
    shown = f"The last valid state is on screen: {valid}. " if valid is not None else ""
    box.setInformativeText(f"{shown}If you save anyway, the file opens with this error.")
    offered = [answer for answer in InvalidAnswer if valid is not None or answer is not InvalidAnswer.SAVE_VALID]
    return _answer(box, offered, InvalidAnswer.CANCEL)


def ask_changed(parent: QWidget, name: str, own: str | None) -> ChangedAnswer:
    """Ask what to do with a file that another program has changed.

    Parameters
    ----------
    name
        Name of the file.
    own
        Name of the state to compare with the file, such as ``your version``, or None if there is no such state.
    """
    box = _box(parent, "File changed on disk", f"{name} has changed on disk since you opened or saved it.")
    lines = ["Overwrite: the changes on disk are lost."]
    if own is None:
        lines.append("Reload: open the file as it is on disk; your changes are lost.")
    else:
        lines.append(f"Reload: open the file as it is on disk; {own} becomes A.")
        lines.append(f"Compare: show the file on disk, A, side by side with {own}, B.")
    box.setInformativeText("\n".join(lines))
    offered = [answer for answer in ChangedAnswer if own is not None or answer is not ChangedAnswer.COMPARE]
    return _answer(box, offered, ChangedAnswer.CANCEL)


def ask_unsaved(parent: QWidget, text: str) -> Button:
    """Ask whether to save changes, to discard them, or to cancel."""
    return _standard(_box(parent, "Unsaved changes", text), (Button.Save, Button.Discard, Button.Cancel), Button.Save)


def ask_replace(parent: QWidget, name: str) -> bool:
    """Ask whether an existing file may be replaced."""
    box = _box(parent, "Replace file", f"{name} already exists.\nDo you want to replace it?")
    return _standard(box, (Button.Yes, Button.No), Button.No) == Button.Yes


def _standard(box: QMessageBox, offered: tuple[Button, ...], default: Button) -> Button:
    for standard in offered:
        button = box.addButton(standard)
        # Qt's own texts have mnemonics on some platforms only.
        button.setText(f"&{standard.name}")
    box.setDefaultButton(default)
    return Button(box.exec())


def _box(parent: QWidget, title: str, text: str) -> QMessageBox:
    box = QMessageBox(QMessageBox.Icon.Warning, title, text, QMessageBox.StandardButton.NoButton, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    return box


def _answer(box: QMessageBox, offered: list[Answer], cancel: Answer) -> Answer:
    """Show the question and return the answer; Return and Escape cancel."""
    buttons = {}
    for answer in offered:
        role = Role.RejectRole if answer is cancel else Role.ActionRole
        buttons[box.addButton(str(answer.value), role)] = answer
        if answer is cancel:
            button = next(reversed(buttons))
            box.setDefaultButton(button)
            box.setEscapeButton(button)
    box.exec()
    clicked = box.clickedButton()
    return next((answer for button, answer in buttons.items() if button is clicked), cancel)
