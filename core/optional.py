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
        raise missing(package.partition(".")[0], extra, field) from error


def missing(package: str, extra: str, field: str) -> SpecError:
    """Return the error to raise where a package is not installed."""
    return SpecError(field, f"needs the package {package}: pip install 'fabriscope[{extra}]', or pip install {package}")
