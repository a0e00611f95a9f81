"""The trace of the README's example, as Open MPI's monitoring writes it: a stencil on 8 x 8 ranks.

``python -m tests.stencil_trace`` writes it.
"""

from pathlib import Path

TRACE = Path(__file__).resolve().parents[1] / "resources" / "traces" / "stencil"
ROWS = COLS = 8
STEPS = 1000
"""Messages to each neighbour."""
ACROSS, ALONG = 256_000, 64_000
"""Bytes of a message to the next row, and to the next column."""
SIZES = 66
"""Columns of a histogram: messages without data, then messages below each power of two bytes."""


def files() -> dict[str, str]:
    """Return the text of each file by its name; the grid of ranks has open ends."""
    return {f"mon.{rank}.prof": _text(rank) for rank in range(ROWS * COLS)}


def _text(rank: int) -> str:
    row, col = divmod(rank, COLS)
    steps = (-1, 0, ACROSS), (0, -1, ALONG), (0, 1, ALONG), (1, 0, ACROSS)
    lines = ["# POINT TO POINT"]
    for down, right, size in steps:
        to_row, to_col = row + down, col + right
        if 0 <= to_row < ROWS and 0 <= to_col < COLS:
            histogram = ["0"] * SIZES
            histogram[size.bit_length()] = str(STEPS)
            sent = f"{size * STEPS} bytes", f"{STEPS} msgs sent", ",".join(histogram)
            lines.append("\t".join(["E", str(rank), str(to_row * COLS + to_col), *sent]))
    return "\n".join([*lines, "# OSC", "# COLLECTIVES", ""])


if __name__ == "__main__":
    TRACE.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (TRACE / name).write_text(text)
