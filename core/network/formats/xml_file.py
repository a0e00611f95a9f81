"""XML from anywhere: nothing that grows while it is read."""

import re
from pathlib import Path

from core.network.formats.parsed_graph import wrong


def checked_xml(path: Path) -> bytes:
    """Return the content of an XML file in UTF-8.

    Raises SpecError: if it is none, or declares entities, which no such file needs and some use to flood the memory.
    """
    content = path.read_bytes()
    if b"<!ENTITY" in content:
        raise wrong("declares XML entities; write out what they stand for")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise wrong(f"byte {error.start:,} is no text in UTF-8; save the file in UTF-8") from error
    return content


def root_of(content: bytes) -> str:
    """Return the name of the first element, without its namespace; empty if it is no XML."""
    told = re.sub(rb"<!--.*?(-->|$)", b"", content, flags=re.DOTALL)
    found = re.search(rb"<(?:[\w.-]+:)?([\w.-]+)", told)
    return found.group(1).decode() if found else ""
