"""An extension of griffe: documents the fields of results, whose texts the program declares in its annotations."""

import json
from pathlib import Path

import griffe

FIELDS = Path(__file__).with_name("fields.json")
"""Descriptions of fields, by the path of their class and their name; `python -m app.docs` writes it."""
HEADING = "\n\nAttributes\n----------\n"


class ResultFields(griffe.Extension):
    """Appends the fields of each result to its docstring, and shows the types of annotations without their notes."""

    def __init__(self):
        self.fields = json.loads(FIELDS.read_text(encoding="utf-8"))

    def on_class_members(self, *, cls, **kwargs):
        """Document a class of results; called when its members are known."""
        descriptions = self.fields.get(cls.path)
        if descriptions is not None and cls.docstring is not None:
            cls.docstring.value += HEADING + "\n".join(f"{name}\n    {text}" for name, text in descriptions.items())

    def on_attribute_instance(self, *, attr, **kwargs):
        """Replace ``Annotated[T, ...]`` by ``T``."""
        annotation = attr.annotation
        if isinstance(annotation, griffe.ExprSubscript) and annotation.canonical_name == "Annotated":
            attr.annotation = annotation.slice.elements[0]
