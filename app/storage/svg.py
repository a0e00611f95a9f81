"""Post-processing of Qt's SVG: smaller, and portable between viewers."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
INHERITED = {
    "fill": "none", "fill-opacity": "1", "fill-rule": "evenodd", "stroke-width": "1", "stroke-opacity": "1",
    "stroke-linecap": "square", "stroke-linejoin": "bevel", "transform": "matrix(1,0,0,1,0,0)",
    "vector-effect": "none", "font-style": "normal",
}  # fmt: skip
"""Values of attributes that elements inherit, mostly from the outermost group."""
CHUNK_BYTES = 1 << 16
"""Bytes parsed at a time."""
OF_STROKES = ("stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin")
TEXTS = (f"{{{SVG}}}text", f"{{{SVG}}}desc")
"""Elements that contain text."""
ANY_FONT = "sans-serif"
"""The font that replaces local font names, since other machines would fall back to a serif font."""
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def tidied(svg: bytes) -> bytes:
    """Return Qt's SVG without repeated styles, and with a generic font and sharp pixels."""
    root = _read(svg)
    for note in root.findall(f"{{{SVG}}}desc"):
        if not note.text:
            root.remove(note)
    for outer in root.findall(f"{{{SVG}}}g"):
        outer[:] = [_unwrapped(group) for group in _merged(list(outer))]
    for element in root.iter():
        element.text = element.text if element.tag in TEXTS else None
        element.tail = None
        if "font-family" in element.attrib:
            element.set("font-family", ANY_FONT)
        if "image-rendering" in element.attrib:  # Qt's value is obsolete in browsers
            element.set("image-rendering", "pixelated")
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _read(svg: bytes) -> Element:
    # Parse in chunks, since parsing holds the interpreter lock.
    parser = ElementTree.XMLParser()
    for first in range(0, len(svg), CHUNK_BYTES):
        parser.feed(svg[first : first + CHUNK_BYTES])
    root: Element = parser.close()
    return root


def _merged(groups: list[Element]) -> list[Element]:
    # Qt begins a group at every change of a pen or brush, even if nothing is drawn in it.
    merged: list[Element] = []
    for group in groups:
        if not len(group):
            continue
        group.attrib = _style(group.attrib)
        for element in group:
            element.attrib = {
                name: text
                for name, text in element.attrib.items()
                if INHERITED.get(name) != text or name in group.attrib  # keep what overrides the group's value
            }
        if merged and merged[-1].attrib == group.attrib:
            merged[-1].extend(group)
        else:
            merged.append(group)
    return merged


def _style(given: dict[str, str]) -> dict[str, str]:
    # Fonts are repeated on each text element.
    bare = given.get("stroke") == "none"
    return {
        name: text
        for name, text in given.items()
        if INHERITED.get(name) != text and not name.startswith("font-") and not (bare and name in OF_STROKES)
    }


def _unwrapped(group: Element) -> Element:
    if len(group) != 1:
        return group
    (element,) = group
    element.attrib = {**group.attrib, **element.attrib}
    return element
