"""Packages that few need: each is imported when it is first asked for, and a line says how to get it."""

from importlib import import_module
from typing import Any

from core.spec import SpecError


def optional(package: str, extra: str, field: str) -> Any:
    """Return a package that comes with one of the program's extras.

    Raises SpecError: under `field`, saying how to get it, if it is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise SpecError(
            field, f"needs the package {name}: pip install 'fabriscope[{extra}]', or pip install {name}"
        ) from error
