"""Unexpected exceptions as ordinary errors that the window shows."""

import traceback
from types import TracebackType

import core
from core.files.atomic import shown
from core.load.scenario import UNIONS, Scenario
from core.spec import Spec, SpecError, fields_of


def as_refusal(error: Exception, field: str, name: str = "") -> SpecError:
    """Return an error under a field; an unexpected error is printed with its traceback, for a bug report.

    `name` is the file that was being read.
    """
    if isinstance(error, SpecError):
        return error
    if isinstance(error, MemoryError):
        return SpecError(field, f"{name or 'this'} is too large for this machine's memory")
    traceback.print_exception(error)
    reason = shown(f"{type(error).__name__}: {error}")
    return SpecError(field, f"{name or 'this'} cannot be read: internal error ({reason}); please report it")


def refusal_of(error: Exception, scenario: Scenario) -> SpecError:
    """Return an error in building or evaluating a scenario, under its file or choice."""
    choice = _choice_at(error.__traceback__)
    spec: Spec = getattr(scenario, choice)
    files = {field.name: getattr(spec, field.name) for field in fields_of(type(spec)) if field.is_file}
    field, name = next(((field, name) for field, name in files.items() if name), ("", ""))
    return as_refusal(error, f"{choice}.{field}" if field else choice, shown(name))


def _choice_at(frames: TracebackType | None) -> str:
    """Return the choice whose package in `core` raised an error, or ``network``."""
    while frames is not None:
        module = str(frames.tb_frame.f_globals.get("__name__"))
        choice = module.removeprefix(f"{core.__name__}.").partition(".")[0]
        if module.startswith(f"{core.__name__}.") and choice in UNIONS:
            return choice
        frames = frames.tb_next
    return "network"
