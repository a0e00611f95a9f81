"""One declaration per choice, read by the file format, the forms, the help and the messages.

A network family, job pattern, mapping strategy or routing scheme is a frozen `Spec`; each field carries its
title, unit, bounds and one line of help in its annotation (`declare`), and `fields_of` returns them.
"""

import os
import re
import types
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from core.text import CONTROL, control_in, escaped

PLAIN = b"\t\n\r" + bytes(range(32, 127))
"""The bytes of ASCII text without control characters."""
MAX_REASON = 160
"""Maximum length of a parser's message."""
WHITE = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})
MAX_MESSAGE = 640
"""Maximum length of a message."""
SHIPPED = "fabriscope:"
"""Begin of the names of files that come with the program, in any folder."""


def one_line(message: str) -> str:
    """Return a message, which may quote a file, without control characters and with a limited length."""
    line = escaped(message).translate(WHITE)
    return line if len(line) <= MAX_MESSAGE else f"{line[: MAX_MESSAGE - 160]} … {line[-156:]}"


class SpecError(ValueError):
    """An invalid choice. `field` is its name in files; the message says why it is invalid and gives valid values."""

    def __init__(self, field: str, message: str) -> None:
        field, message = one_line(field), one_line(message)
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message

    def __reduce__(self) -> tuple[type["SpecError"], tuple[str, str]]:
        # Pickled with its two arguments, for other processes.
        return type(self), (self.field, self.message)


class FileError(SpecError):
    """An error in a file: its message begins with the file's name."""


class NoFile(SpecError):
    """A choice that needs a file, before one is chosen."""


class TooLarge(SpecError):
    """A valid choice that would take too much time or memory."""


def path_in_folder(field: str, name: str | None, folder: Path | None, max_bytes: int) -> Path:
    """Return the path of the file `name` that `field` of a scenario in `folder` refers to.

    Relative names refer to files in the folder, or to files that come with the program if they begin with `SHIPPED`.
    Absolute names are choices of the user: `core.files` refuses them in scenario files, which may come from anybody.

    Raises SpecError: if the file is missing, outside the folder, or larger than `max_bytes`.
    """
    if not name:
        raise NoFile(field, "choose a file in the scenario's folder")
    own, place = os.path.isabs(name), " in the scenario's folder"
    if is_shipped(name):
        import resources  # only `core` is needed otherwise

        name, folder, place = name.removeprefix(SHIPPED), Path(str(files(resources) / "fabrics")), " in the program"
    if folder is None and not own:
        raise SpecError(field, "is a relative path; save the scenario first, or give an absolute path")
    try:
        path = Path(folder or "", name).resolve()
        inside = own or path.is_relative_to(Path(folder or "").resolve())
        size = path.stat().st_size if inside and path.is_file() else -1
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links
        raise SpecError(field, f"{name!r} is not a valid path; choose a file in the scenario's folder") from error
    if not inside:
        raise outside_folder(field, name)
    if size < 0 and path.is_dir():
        raise SpecError(field, f"{name!r} is a folder; choose a file in it")
    if size < 0:
        raise SpecError(field, f"no such file{'' if own else place}: {name!r}")
    if size > max_bytes:
        raise SpecError(field, f"{name!r} has {size >> 20:,} MiB; the limit is {max_bytes >> 20:,} MiB")
    return path


def is_shipped(name: str) -> bool:
    """Return whether a name refers to a file that comes with the program."""
    return name.startswith(SHIPPED)


def outside_folder(field: str, name: str) -> SpecError:
    """Return the error for a file that is not in the scenario's folder."""
    return SpecError(field, f"{name!r} is outside the scenario's folder; copy it there")


@contextmanager
def errors_naming(field: str, path: Path) -> Iterator[None]:
    """Prefix errors in the file that `field` refers to with the file's name; convert failures to read it."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(field, f"{name_of(path)!r} cannot be read: {error.strerror or error}") from error
    except MemoryError as error:
        raise FileError(field, f"{name_of(path)!r} is too large for this machine's memory") from error
    except SpecError as error:
        if error.field != field or f"{path.name}'" in error.message:  # the message contains the file's name
            raise
        parted = ", " if error.message.startswith("line ") else ": "
        raise FileError(field, f"{name_of(path)}{parted}{error.message}") from error


@contextmanager
def parsing(field: str, path: Path, what: str, expected: str = "") -> Iterator[None]:
    """Convert any error of a parser, which malformed files may raise, into a SpecError that names the file.

    `field` is the field of the scenario, `what` the expected kind of file, `expected` the advice.
    """
    with errors_naming(field, path):
        try:
            yield
        except (SpecError, OSError, MemoryError, Cancelled):
            raise
        except Exception as error:
            joint = "; " if expected else ""
            raise SpecError(field, f"cannot be read as {what}: {reason_in(error)}{joint}{expected}") from error


def reason_in(error: Exception) -> str:
    """Return the reason of a parser's error, for a message."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    lines = str(error).splitlines()
    return lines[0][:MAX_REASON] if lines else type(error).__name__


def name_of(path: Path) -> str:
    """Return a file's name for a message, with any special characters escaped."""
    return "".join(mark if mark.isprintable() else "?" for mark in path.name)


def name_for_scenario(path: Path, folder: Path | None) -> str:
    """Return the name of a chosen file for a scenario in `folder`: relative if inside it, else absolute."""
    resolved, inside = path.resolve(), folder.resolve() if folder is not None else None
    return resolved.relative_to(inside).as_posix() if inside and resolved.is_relative_to(inside) else str(resolved)


def text_of(field: str, path: Path) -> str:
    """Read the text of the file that `field` of a scenario refers to, as `decoded_text` does."""
    return decoded_text(field, path.read_bytes())


def decoded_text(field: str, content: bytes) -> str:
    """Decode the bytes of the file that `field` of a scenario refers to.

    Raises SpecError: naming the first line that is not UTF-8, or contains a control character.
    """
    if content.isascii() and not content.translate(None, PLAIN):
        return content.decode("ascii")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise error_at_line(field, line, "not valid UTF-8; save the file as UTF-8") from error
    match = CONTROL.search(text)
    if match is not None:
        raise error_at_line(field, text.count("\n", 0, match.start()) + 1, control_words(match[0]))
    return text


def checked_xml(field: str, path: Path) -> bytes:
    """Return the content of the XML file in UTF-8 that `field` of a scenario refers to.

    Raises SpecError: if it is not text in UTF-8, or declares entities, whose expansion could exhaust memory.
    """
    content = path.read_bytes()
    if b"<!ENTITY" in content:
        raise SpecError(field, "declares XML entities; write their text instead")
    decoded_text(field, content)
    return content


def control_words(text: str) -> str:
    """Return the message for a text with a control character."""
    return f"contains the control character {control_in(text)}; remove it"


def error_at_line(field: str, line: int, what: str) -> SpecError:
    """Return the error in a line, counted from 1, of the file that `field` of a scenario refers to."""
    return SpecError(field, f"line {line:,}: {what}")


Progress = Callable[[float], None]
"""Called with the completed fraction of long work; raises `Cancelled` to stop it."""


def no_progress(fraction: float) -> None:
    """Ignore progress (default callback)."""


def subprogress(progress: Progress, start: float, end: float, total: float = 1.0) -> Progress:
    """Return the progress function for the part of the work from `start` to `end`, out of `total`.

    It converts fractions of this part to fractions of the whole, and passes them to `progress`.
    """
    return lambda fraction: progress((start + (end - start) * fraction) / total)


class SharedProgress:
    """The progress of several parts of some work, one after the other, which share one bar.

    Each part gets a share of the rest of the bar, but only if it reports progress.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress, self._done = progress, 0.0

    def part(self, share: float = 1.0) -> Progress:
        """Return the progress function of the next part, which gets this share of the rest."""
        start = self._done

        def report(fraction: float) -> None:
            self._done = start + (1 - start) * share * fraction
            self._progress(self._done)

        return report


class Cancelled(Exception):
    """Raised by a progress callback to stop a long computation; its partial results are dropped."""


class Spec(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True, repr_omit_defaults=True):
    """A declared choice. Subclasses give a tag, annotated fields and a builder."""

    title: ClassVar[str] = ""
    """Title in forms."""
    presets: ClassVar[dict[str, dict[str, Any]]] = {}
    """Named sets of field values."""
    preset_notes: ClassVar[dict[str, str]] = {}
    """Notes on presets: the source of their numbers, and which numbers are guessed."""

    @classmethod
    def tag(cls) -> str:
        """Return the name used in scenario files."""
        return str(cls.__struct_config__.tag)

    @property
    def unused(self) -> frozenset[str]:
        """Return the names of fields that have no effect with the other values; forms hide them."""
        return frozenset()


class CompactList(Sequence[int]):
    """A long list of integers that a spec stores compactly; files have it as a plain list."""

    __slots__ = ()

    entry: ClassVar[Any] = int
    """The declared type of the numbers."""

    @classmethod
    @abstractmethod
    def read(cls, plain: Any) -> Self:
        """Return the compact form of a plain list in a file.

        Raises msgspec.ValidationError: naming the invalid entry.
        """

    @abstractmethod
    def plain(self) -> list[Any]:
        """Return the numbers as a plain list."""


Read = TypeVar("Read")


def to_plain(value: Any) -> Any:
    """Return a spec, or a struct of specs, as dicts and lists."""
    return msgspec.to_builtins(value, enc_hook=_plain)


def from_plain(value: Any, kind: type[Read]) -> Read:
    """Return the spec described by dicts and lists.

    Raises msgspec.ValidationError: naming the place of the error.
    """
    return msgspec.convert(value, kind, dec_hook=read_hook)


def read_hook(kind: type, plain: Any) -> Any:
    """Decode types unknown to msgspec; passed to its decoders as ``dec_hook``."""
    if not issubclass(kind, CompactList):
        raise TypeError(f"{kind.__name__} cannot be read from a file")
    try:
        return kind.read(plain)
    except msgspec.ValidationError as error:
        # msgspec turns the message of a ValueError into one that includes the place of the list: `place_in`.
        raise ValueError(str(error)) from error


def place_in(message: str) -> tuple[str, str]:
    """Return the problem and its place, such as ``mapping.slots[3]``, from a message of msgspec."""
    # "Expected `int`, got `str` - at `$.job.rows`"; in a `CompactList`: "... - at `$[3]` - at `$.mapping.slots`".
    problem, _, _ = message.partition(" - at `")
    places = re.findall(r" - at `(?:key in )?\$?([^`]*)`", message)
    return problem, "".join(reversed(places)).lstrip(".")


def _plain(value: Any) -> Any:
    if isinstance(value, CompactList):
        return value.plain()
    raise TypeError(f"{type(value).__name__} cannot be written to a file")


def declare(
    title: str, description: str, *, unit: str = "", is_file: bool = False, zero: str = "", **bounds: Any
) -> Meta:
    """Return the annotation of a field: its label, a line of help, its unit and bounds (`ge`, `le`, ...).

    `is_file`: the text is the path of a file in the scenario's folder. `zero`: the word that forms show instead of 0.
    """
    shown = {"unit": unit} if unit else None
    extra = {"unit": unit, "is_file": is_file, "zero": zero}
    return Meta(title=title, description=description, extra=extra, extra_json_schema=shown, **bounds)


MAX_SEED = (1 << 31) - 1
Seed = Annotated[int, declare("Seed", "seed of the random numbers", ge=0, le=MAX_SEED)]
"""The declaration of every seed; a seed gives the same numbers on every machine."""


@dataclass(frozen=True, slots=True)
class Field:
    """A declared field, as used by forms, help and messages."""

    name: str
    kind: type
    """int, float, bool, str or tuple."""
    title: str
    unit: str
    description: str
    default: Any
    required: bool
    low: float | None
    high: float | None
    choices: tuple[Any, ...]
    optional: bool
    """Whether the field may be omitted (None)."""
    low_excluded: bool
    """Whether `low` itself is excluded (False for integers)."""
    max_length: int | None
    """Maximum number of entries of a tuple, or of characters of a text; None if unlimited."""
    is_file: bool
    """Whether the text is the path of a file in the scenario's folder."""
    specs: Any = None
    """Union of the specs allowed as entries of a tuple, or None if entries are numbers or texts."""
    entry: "Field | None" = None
    """The declaration of the entries of a tuple of numbers or texts."""
    zero: str = ""
    """The meaning of 0, in a word; empty if 0 is an ordinary number."""
    or_name: bool = False
    """Whether a name is valid instead of a number."""


@cache
def fields_of(spec: type[Spec]) -> tuple[Field, ...]:
    """Return the declared fields of a spec class, in order."""
    hints = get_type_hints(spec, include_extras=True)
    return tuple(_field(info.name, hints[info.name], info.default) for info in msgspec.structs.fields(spec))


def file_field(spec: type[Spec]) -> str:
    """Return the name of the field of a spec class that names its file."""
    return next(field.name for field in fields_of(spec) if field.is_file)


def lacks_file(spec: Spec) -> bool:
    """Return whether a choice needs a file and has neither a file nor lists of numbers."""
    fields = fields_of(type(spec))
    listed = any(field.kind is tuple and getattr(spec, field.name) for field in fields)
    return not listed and any(field.is_file and not getattr(spec, field.name) for field in fields)


def _field(name: str, hint: Any, default: Any = msgspec.NODEFAULT) -> Field:
    meta, hint = _unwrap(hint)
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    optional = type(None) in options
    inner_meta, first = _unwrap(next(option for option in options if option is not type(None)))
    meta = meta or inner_meta or Meta()
    choices = get_args(first) if get_origin(first) is Literal else ()
    required = default is msgspec.NODEFAULT
    kind = type(choices[0]) if choices else get_origin(first) or first
    compact = issubclass(kind, CompactList)
    entries = kind.entry if compact else get_args(first)[0] if kind is tuple and get_args(first) else None
    kind = tuple if compact else kind
    step = 1 if kind is int else 0  # for integers, above 0 means from 1
    specs = entries if all(isinstance(entry, type) and issubclass(entry, Spec) for entry in members(entries)) else None
    extra = meta.extra or {}
    return Field(
        name=name,
        kind=kind,
        title=meta.title or name,
        unit=extra.get("unit", ""),
        description=meta.description or "",
        default=None if required else default,
        required=required,
        low=meta.ge if meta.gt is None else meta.gt + step,
        high=meta.le if meta.lt is None else meta.lt - step,
        choices=choices,
        optional=optional,
        low_excluded=meta.gt is not None and not step,
        max_length=meta.max_length,
        is_file=extra.get("is_file", False),
        specs=specs,
        entry=None if specs is not None or entries is None else _field("", entries),
        zero=extra.get("zero", ""),
        or_name=kind is int and any(_unwrap(option)[1] is str for option in options),
    )


def with_parts(spec: Spec, place: str = "") -> Iterator[tuple[str, Spec]]:
    """Yield a spec and the specs nested in it, each with its place: ``job.parts[2]``."""
    yield place, spec
    for field in fields_of(type(spec)):
        for number, part in enumerate(getattr(spec, field.name) if field.specs is not None else ()):
            yield from with_parts(part, f"{place}.{field.name}[{number}]")


def files_in(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield the files that a spec names, each with its field: ``file``, or ``between[2]`` in a list."""
    for field in fields_of(type(spec)):
        value = getattr(spec, field.name)
        if field.is_file and value:
            yield field.name, value
        elif field.entry is not None and field.entry.is_file:
            yield from ((f"{field.name}[{number}]", name) for number, name in enumerate(value))


def _unwrap(hint: Any) -> tuple[Meta | None, Any]:
    if get_origin(hint) is Annotated:
        inner, *extras = get_args(hint)
        return _merged([extra for extra in extras if isinstance(extra, Meta)]), inner
    return None, hint


def _merged(metas: Sequence[Meta]) -> Meta | None:
    # A declared type may be declared again where it is used, with other texts; the last declaration counts.
    if len(metas) < 2:
        return metas[0] if metas else None
    names = ("gt", "ge", "lt", "le", "min_length", "max_length", "title", "description", "extra")
    values = {name: [value for meta in metas if (value := getattr(meta, name)) not in (None, "")] for name in names}
    return Meta(**{name: declared[-1] for name, declared in values.items() if declared})


def members(union: Any) -> tuple[type[Spec], ...]:
    """Return the spec classes of a union, in the order in which they are offered."""
    return tuple(get_args(union)) if get_args(union) else (union,)
