"""SVG as Qt writes it, made small, and made to look the same in every reader."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
INHERITED = {
    "fill": "none", "fill-opacity": "1", "fill-rule": "evenodd", "stroke-width": "1", "stroke-opacity": "1",
    "stroke-linecap": "square", "stroke-linejoin": "bevel", "transform": "matrix(1,0,0,1,0,0)",
    "vector-effect": "none", "font-style": "normal",
}  # fmt: skip
"""What elements have anyway, most of it from the group around all."""
CHUNK_BYTES = 1 << 16
"""Bytes read at once."""
OF_STROKES = ("stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin")
ANY_FONT = "sans-serif"
"""Names of fonts are those of this machine; elsewhere readers would take one with serifs instead."""
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def tidied(svg: bytes) -> bytes:
    """Return a drawing of Qt's with every style said once, in a font that all readers have, its pixels sharp."""
    root = _read(svg)
    for note in root.findall(f"{{{SVG}}}desc"):
        root.remove(note)
    for outer in root.findall(f"{{{SVG}}}g"):
        outer[:] = [_unwrapped(group) for group in _merged(list(outer))]
    for element in root.iter():
        element.text = element.text if element.tag == f"{{{SVG}}}text" else None
        element.tail = None
        if "font-family" in element.attrib:
            element.set("font-family", ANY_FONT)
        if "image-rendering" in element.attrib:  # Qt's word for it is one that browsers have given up
            element.set("image-rendering", "pixelated")
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _read(svg: bytes) -> Element:
    # Piece by piece: other threads wait while one is read.
    parser = ElementTree.XMLParser()
    for first in range(0, len(svg), CHUNK_BYTES):
        parser.feed(svg[first : first + CHUNK_BYTES])
    root: Element = parser.close()
    return root


def _merged(groups: list[Element]) -> list[Element]:
    # Qt begins a group with each change of a pen or a brush, also where nothing is drawn before the next.
    found: list[Element] = []
    for group in groups:
        if not len(group):
            continue
        group.attrib = _style(group.attrib)
        for element in group:
            element.attrib = {
                name: text
                for name, text in element.attrib.items()
                if INHERITED.get(name) != text or name in group.attrib  # what undoes the group's is to stay
            }
        if found and found[-1].attrib == group.attrib:
            found[-1].extend(group)
        else:
            found.append(group)
    return found


def _style(given: dict[str, str]) -> dict[str, str]:
    # Fonts stand with each text, too.
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
