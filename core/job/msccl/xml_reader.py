"""Reads MSCCL schedules: algo, gpu, tb (thread block) and step elements, with the line of each for messages."""

from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from core.filekind import refusal
from core.job.msccl.schedule import KINDS, Place, Schedule, Step, ThreadBlock
from core.spec import SpecError, checked_xml, error_at_line
from core.text import known_names, plural

FIELD = "job.file"
MAX_GPUS = 1 << 12
MAX_CHUNKS = 1 << 16
"""Maximum number of chunks, in a buffer or in a step."""
MAX_STEPS = 1 << 18
MAX_NUMBER = (1 << 31) - 1
MAX_BYTES = (1 << 63) - 1
PARENTS = {"algo": "", "gpu": "algo", "tb": "gpu", "step": "tb"}
"""Elements, each with the element that contains it."""
GIVE = "give an MSCCL schedule, which is XML"
BUFFERS = ("i", "o", "s")


def read_schedule(path: Path) -> Schedule:
    """Read a schedule.

    Raises SpecError: if it is not one, naming the line that is wrong.
    """
    content = checked_xml(FIELD, path)
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise SpecError(FIELD, refusal(content, path.name, GIVE) or f"is not XML; {GIVE}")
    reader, parser = _Reader(), expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: reader.begin(parser.CurrentLineNumber, tag, attributes)
    parser.EndElementHandler = reader.end
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise error_at_line(FIELD, error.lineno, f"is not valid XML: {expat.ErrorString(error.code)}") from error
    return reader.schedule()


class _Element(NamedTuple):
    """An element and its place in the file."""

    line: int
    name: str
    """Name in messages."""
    attributes: dict[str, str]

    def wrong(self, what: str) -> SpecError:
        return error_at_line(FIELD, self.line, f"{self.name} {what}")

    def text(self, name: str) -> str:
        if name not in self.attributes:
            raise self.wrong(f"has no attribute {name}")
        return self.attributes[name]

    def number(self, name: str, least: int, most: int = MAX_NUMBER, default: int | None = None) -> int:
        if default is not None and name not in self.attributes:
            return default
        text = self.text(name)
        value = int(text) if len(text) < 20 and text.isascii() and text.removeprefix("-").isdecimal() else None
        if value is None or not least <= value <= most:
            raise self.wrong(f"has {name}={text[:40]!r}; give a whole number from {least} to {most:,}")
        return value

    def flag(self, name: str) -> bool:
        return self.number(name, 0, 1, default=0) == 1

    def place(self, buffer: str, index: str) -> Place:
        name = self.text(buffer)
        if name not in BUFFERS:
            raise self.wrong(f"has {buffer}={name[:40]!r}; give i (input), o (output) or s (scratch)")
        return Place(name, self.number(index, -1))


class _Block(NamedTuple):
    """A thread block that is being read."""

    element: _Element
    block: ThreadBlock
    """Without its steps."""
    steps: dict[int, Step]


class _Reader:
    """Parser state."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._algo = _Element(1, "algo", {})
        self._gpus, self._count, self._gpu = 0, 0, 0
        self._blocks: dict[int, dict[int, _Block]] = {}
        """By GPU and number."""
        self._block: _Block | None = None

    def begin(self, line: int, tag: str, attributes: dict[str, str]) -> None:
        """Read the beginning of an element.

        Raises SpecError: naming the line that is wrong.
        """
        parent = self._open[-1] if self._open else ""
        if PARENTS.get(tag) != parent:
            place = f"in <{parent}>" if parent else "as the first element"
            expected = "MSCCL schedules contain algo, gpu in algo, tb in gpu, and step in tb"
            raise error_at_line(FIELD, line, f"unknown element <{tag[:40]}> {place}; {expected}")
        self._open.append(tag)
        {"algo": self._begin_algo, "gpu": self._begin_gpu, "tb": self._begin_block, "step": self._begin_step}[tag](
            line, attributes
        )

    def end(self, tag: str) -> None:
        """Read the end of an element."""
        self._open.pop()

    def _begin_algo(self, line: int, attributes: dict[str, str]) -> None:
        self._algo = _Element(line, "algo", attributes)
        self._gpus = self._algo.number("ngpus", 1, MAX_GPUS)
        self._algo.number("nchunksperloop", 1, MAX_CHUNKS)

    def _begin_gpu(self, line: int, attributes: dict[str, str]) -> None:
        element = _Element(line, "gpu", attributes)
        self._gpu = element.number("id", 0, self._gpus - 1)
        if self._gpu in self._blocks:
            raise element.wrong(f"{self._gpu} appears twice")
        self._blocks[self._gpu] = {}

    def _begin_block(self, line: int, attributes: dict[str, str]) -> None:
        element = _Element(line, f"a tb of gpu {self._gpu}", attributes)
        number = element.number("id", 0)
        element = element._replace(name=f"gpu {self._gpu} tb {number}")
        if number in self._blocks[self._gpu]:
            raise element.wrong("appears twice")
        send, receive = (element.number(name, -1, self._gpus - 1) for name in ("send", "recv"))
        if self._gpu in (send, receive):
            raise element.wrong("communicates with its own gpu; use step types cpy and re inside a gpu")
        block = ThreadBlock(self._gpu, number, send, receive, element.number("chan", 0), ())
        self._block = self._blocks[self._gpu][number] = _Block(element, block, {})

    def _begin_step(self, line: int, attributes: dict[str, str]) -> None:
        assert self._block is not None
        self._count += 1
        if self._count > MAX_STEPS:
            raise SpecError(FIELD, f"has more than {MAX_STEPS:,} steps, the limit")
        element = _Element(line, f"a step of {self._block.element.name}", attributes)
        number = element.number("s", 0)
        element = element._replace(name=f"{self._block.element.name} step {number}")
        if number in self._block.steps:
            raise element.wrong("appears twice")
        self._block.steps[number] = _step(element, number, self._block.block)

    def schedule(self) -> Schedule:
        """Return the schedule.

        Raises SpecError: if a GPU is missing, or a step waits for a missing step.
        """
        missing = [gpu for gpu in range(self._gpus) if gpu not in self._blocks]
        if missing:
            raise self._algo.wrong(f"has {plural(self._gpus, 'gpu')} according to ngpus, but no gpu {missing[0]}")
        for blocks in self._blocks.values():
            for block in blocks.values():
                _check_waits(block, blocks)
        modes = [place for place in (True, False) if self._algo.flag("inplace" if place else "outofplace")]
        ordered = (blocks[number] for _, blocks in sorted(self._blocks.items()) for number in sorted(blocks))
        return Schedule(
            self._algo.attributes.get("coll", ""),
            self._gpus,
            self._algo.number("nchunksperloop", 1, MAX_CHUNKS),
            tuple(modes or [False]),
            (self._algo.number("minBytes", 0, MAX_BYTES, 0), self._algo.number("maxBytes", 0, MAX_BYTES, 0)),
            tuple(
                block._replace(steps=tuple(step for _, step in sorted(steps.items()))) for _, block, steps in ordered
            ),
        )


def _step(element: _Element, number: int, block: ThreadBlock) -> Step:
    kind = element.text("type")
    if kind not in KINDS:
        raise element.wrong(f"has the unknown type {kind[:40]!r}; {known_names(kind, list(KINDS), 'types')}")
    element = element._replace(name=f"{element.name} ({kind})")
    if KINDS[kind].sends and block.send < 0:
        raise element.wrong("sends, but its tb has send=-1")
    if KINDS[kind].receives and block.receive < 0:
        raise element.wrong("receives, but its tb has recv=-1")
    moves = KINDS[kind].reads or KINDS[kind].receives
    return Step(
        number,
        kind,
        element.number("cnt", 1, MAX_CHUNKS) if moves else 0,
        element.place("srcbuf", "srcoff") if KINDS[kind].reads else Place("i", -1),
        element.place("dstbuf", "dstoff") if KINDS[kind].writes else Place("o", -1),
        _waits_for(element),
        element.line,
    )


def _waits_for(element: _Element) -> tuple[int, int] | None:
    block, step = (element.number(name, -1, default=-1) for name in ("depid", "deps"))
    if (block < 0) != (step < 0):
        raise element.wrong(f"has depid={block} and deps={step}; give both or neither")
    return (block, step) if block >= 0 else None


def _check_waits(block: _Block, blocks: dict[int, _Block]) -> None:
    for step in block.steps.values():
        if step.after is not None:
            other, number = step.after
            if other not in blocks or number not in blocks[other].steps:
                name = block.block.name(step)
                what = f"{name} waits for tb {other} step {number}, which gpu {block.block.gpu} does not have"
                raise error_at_line(FIELD, step.line, what)
