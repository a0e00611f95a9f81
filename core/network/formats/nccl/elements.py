"""The elements of a topology file, with their lines."""

from dataclasses import dataclass, field
from xml.parsers import expat

from core.network.formats.parsed_graph import MAX_EDGES, at_line, shown, wrong
from core.text import enumerated

CHILDREN = {
    "system": ("cpu",),
    "cpu": ("pci", "nic"),
    "pci": ("pci", "gpu", "nic", "pcilink"),
    "gpu": ("nvlink", "xgmi", "c2c"),
    "nic": ("net",),
}
"""Elements inside each element."""
MAX_DEPTH = 64
"""Nested elements; PCI trees have about ten levels."""


@dataclass(eq=False, slots=True)
class Element:
    """An XML element."""

    tag: str
    attributes: dict[str, str]
    line: int
    """Line of the file on which it begins."""
    parent: "Element | None"
    children: list["Element"] = field(default_factory=list)

    def get(self, name: str) -> str:
        """Return an attribute without surrounding blanks; empty if there is none."""
        return self.attributes.get(name, "").strip()

    def all(self, *tags: str) -> list["Element"]:
        """Return the children with these tags."""
        return [child for child in self.children if child.tag in tags]

    def number(self, name: str, least: int = 0) -> int | None:
        """Return an attribute as a whole number, or None if it is missing.

        Raises SpecError: naming the line, if it is not a whole number of at least `least`.
        """
        text = self.get(name)
        if not text:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) <= 9 and int(text) >= least):
            raise at_line(self.line, f"{name} is {shown(text)}; give a whole number of at least {least}")
        return int(text)


def read_elements(content: bytes) -> Element:
    """Return the first element of a topology file.

    Raises SpecError: naming the line, if it is not XML, or has an element at a wrong place.
    """
    reader = _Reader()
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise at_line(error.lineno, f"cannot be read as XML: {expat.ErrorString(error.code)}") from error
    assert reader.root is not None  # XML has a first element
    return reader.root


class _Reader:
    """Builds elements as the parser meets them."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []
        self._count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else None
        line = self.parser.CurrentLineNumber
        self._count += 1
        if self._count > MAX_EDGES:
            raise wrong(f"has more than {MAX_EDGES:,} elements, which is not supported")
        if len(self._open) >= MAX_DEPTH:
            raise at_line(line, f"elements are nested more than {MAX_DEPTH} deep, which is not supported")
        expected = ("system",) if parent is None else CHILDREN.get(parent.tag, ())
        if tag not in expected:
            inside = "" if parent is None else f" in <{parent.tag}>"
            allowed = enumerated([f"<{name}>" for name in expected]).replace(" and ", " or ")
            raise at_line(line, f"unknown element <{tag[:40]}>{inside}; give {allowed or 'none there'}")
        element = Element(tag, attributes, line, parent)
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()
