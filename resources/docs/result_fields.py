"""An extension of griffe: reads docstrings as the program writes them, and documents the fields of results."""

import json
import re
from pathlib import Path

import griffe

FIELDS = Path(__file__).with_name("fields.json")
"""Descriptions of fields, by the path of their class and their name; `python -m app.docs` writes it."""
HEADING = "\n\nAttributes\n----------\n"
RAISES = re.compile(r"\n\n?Raises (\w+): ((?:.+\n?)+)")
"""An exception, in prose."""
PARAMETERS = re.compile(r"\n\nParameters\n-+\n(?:\S.*\n(?: +.*\n?)+)+")
""" The section on parameters: each in a line, with an indented description."""


class ResultFields(griffe.Extension):
    """Appends the fields of each result to its docstring, and shows the types of annotations without their notes."""

    def __init__(self):
        self.fields = json.loads(FIELDS.read_text(encoding="utf-8"))

    def on_instance(self, *, obj, **kwargs):
        """Put the sections on parameters and exceptions last, after all prose."""
        if obj.docstring is None:
            return
        raised = RAISES.findall(obj.docstring.value)
        text = RAISES.sub("\n", obj.docstring.value)
        parameters = PARAMETERS.findall(text + "\n")
        text = PARAMETERS.sub("\n\n", text + "\n").rstrip()
        for name, condition in raised:
            parameters.append(f"\n\nRaises\n------\n{name}\n    {' '.join(condition.split())}\n")
        obj.docstring.value = "\n".join([text, *(section.strip("\n") + "\n" for section in parameters)])

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
