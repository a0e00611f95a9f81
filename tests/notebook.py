"""Runs the notebooks of the program without Jupyter; `python -m tests.notebook` stores their outputs."""

import ast
import contextlib
import io
import json
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[1] / "resources" / "notebooks"
FORMATS = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}
"""Methods by which Jupyter shows a value, by the type of their text."""


def lines(text):
    return text.splitlines(keepends=True)


def shown(value):
    """Return a value as Jupyter stores it."""
    methods = {kind: getattr(value, name, None) for kind, name in FORMATS.items()}
    data = {kind: lines(method()) for kind, method in methods.items() if method is not None}
    return {"data": {**data, "text/plain": lines(repr(value))}, "metadata": {}}


def outputs(source, names, count):
    """Run a cell and return its outputs: printed text, and the value of a last expression."""
    body = ast.parse(source).body
    value = body.pop().value if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        result = None if value is None else eval(compile(ast.Expression(value), "cell", "eval"), names)
    stream = {"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())}
    displayed = {"output_type": "execute_result", "execution_count": count, **shown(result)}
    return [stream] * bool(stream["text"]) + [displayed] * (result is not None)


def run(path):
    """Return a notebook with the outputs of its cells."""
    notebook, names, count = json.loads(path.read_text(encoding="utf-8")), {}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell |= {"execution_count": count, "outputs": outputs("".join(cell["source"]), names, count)}
    return notebook


if __name__ == "__main__":
    for place in NOTEBOOKS.glob("*.ipynb"):
        place.write_text(json.dumps(run(place), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
