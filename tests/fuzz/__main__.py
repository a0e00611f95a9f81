"""Read mutated files of every kind: `make fuzz`, or ``python -m tests.fuzz [-n INPUTS] [NAME ...]``.

Each file must be read, or refused by a SpecError with one printable line of at most 700 characters. Other results are
printed with the number of the input, and the exit status is 1. The inputs are equal on every machine.
"""

import argparse
import random
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from core.spec import SpecError
from tests.fuzz.seeds import Family, families

INPUTS = 300
"""Number of inputs for each family."""
MAX_MESSAGE = 700
"""Maximum characters of a message."""
TOKENS = (
    *(b"\x00", b"\x1b[31m", b"\x07", b"\xff", b"\xc2\x9b", b"\xe2\x80\xae", b"\x1c", b"\r", b"\n", b"\t", b" ", b""),
    *(b"{", b"}", b"[", b"]", b"<", b">", b'"', b"'", b"\\", b",", b":", b";", b"=", b"#", b"/*", b"--", b"&#155;"),
    *(b"\\u001b", b"null", b"true", b"-1", b"0", b"1e999", b"nan", b"0x10", b"99999999999999999999", b"9" * 5_000),
    *(b"a" * 1_000, "²".encode(), b"[" * 2_000, b"n[1-262144]", b"$", b"../x", b"/etc/passwd"),
)
"""Bytes that mutations insert."""


def mutated(content: bytes, draw: random.Random) -> bytes:
    """Return the content of a file after one to four random changes."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        at = draw.randrange(len(data) + 1)
        end = min(at + draw.randint(1, 20), len(data))
        kind = draw.choice(("flip", "cut", "copy", "token", "token", "swap", "end"))
        if kind == "flip" and at < len(data):
            data[at] = draw.randrange(256)
        elif kind == "cut":
            del data[at:end]
        elif kind == "copy":
            other = draw.randrange(len(data) + 1)
            data[other:other] = data[at:end]
        elif kind == "token":
            data[at : at + draw.randint(0, 2)] = draw.choice(TOKENS)
        elif kind == "swap":
            lines = bytes(data).split(b"\n")
            draw.shuffle(lines)
            data = bytearray(b"\n".join(lines))
        elif draw.random() < 0.2:
            del data[at:]
    return bytes(data)


def outcome(family: Family, path: Path) -> str:
    """Return the result of reading a file: read, refused, or the kind of error."""
    try:
        family.read(path)
    except SpecError as error:
        message = str(error)
        if not message.isprintable():
            return "control characters"
        return "refused" if len(message) <= MAX_MESSAGE else "long message"
    except Exception:
        traceback.print_exc(limit=-3)
        return "traceback"
    return "read"


def fuzzed(name: str, family: Family, inputs: int, folder: Path) -> Counter[str]:
    """Return the number of mutants of a file with each outcome."""
    path, seen = folder / family.file, Counter[str]()
    path.write_bytes(family.content)
    family.read(path)  # the seed itself is valid
    for number in range(inputs):
        path.write_bytes(mutated(family.content, random.Random(f"{name} {number}")))
        verdict = outcome(family, path)
        if verdict not in ("read", "refused"):
            print(f"{name}, input {number}: {verdict}: {path.read_bytes()[:400]!r}", file=sys.stderr)
        seen[verdict] += 1
    return seen


def main() -> int:
    """Fuzz the families; return 1 if any reader fails."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("-n", type=int, default=INPUTS, help="inputs for each family (default: %(default)s)")
    parser.add_argument("names", nargs="*", help="families whose names contain one of these words (default: all)")
    options = parser.parse_args()
    total = Counter[str]()
    for name, family in families().items():
        if not options.names or any(part in name for part in options.names):
            with tempfile.TemporaryDirectory() as folder:
                seen = fuzzed(name, family, options.n, Path(folder))
            print(
                f"{name:<28}" + "".join(f"  {verdict} {count}" for verdict, count in sorted(seen.items())), flush=True
            )
            total += seen
    wrong = total.total() - total["read"] - total["refused"]
    print(f"{total.total():,} inputs: {total['refused']:,} refused, {total['read']:,} read, {wrong:,} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
