"""Optional packages, imported on demand. Errors say how to install them."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from core.spec import SpecError


def optional(package: str, extra: str, field: str) -> Any:
    """Import a package that belongs to one of the program's extras.

    Raises SpecError: under `field`, with the command that installs it, if it is missing.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise missing(package.partition(".")[0], extra, field) from error


def check_installed(package: str, extra: str, field: str) -> None:
    """Check, without importing it, that a package of one of the program's extras is installed.

    Raises SpecError: under `field`, with the command that installs it, if it is missing.
    """
    if find_spec(package) is None:
        raise missing(package, extra, field)


def missing(package: str, extra: str, field: str) -> SpecError:
    """Return the error for a package that is not installed."""
    return SpecError(
        field, f"requires the package {package}; run pip install 'fabriscope[{extra}]' or pip install {package}"
    )
