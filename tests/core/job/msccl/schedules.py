"""Makes MSCCL schedules for tests, as XML: textbook algorithms, as steps of thread blocks."""

from collections import defaultdict


class Draft:
    """A schedule that is being made: steps are added block by block."""

    def __init__(self, collective, gpus, chunks, **attributes):
        self.attributes = {"coll": collective, "ngpus": gpus, "nchunksperloop": chunks, "inplace": 0, "outofplace": 1}
        self.attributes |= attributes
        self.blocks = defaultdict(list)
        """Attributes of steps by thread block: gpu, send, recv and chan."""

    def step(self, block, kind, source, target, count=1, after=None):
        """Add a step; `after` is a step that it waits for, as returned by this method. Return the step."""
        steps = self.blocks[block]
        steps.append({"type": kind, "src": source, "dst": target, "cnt": count, "after": after})
        return block, len(steps) - 1

    def send(self, gpu, peer, place, count=1, channel=0, after=None):
        """Add a send from a place: buffer and index."""
        return self.step((gpu, peer, -1, channel), "s", place, ("o", 0), count, after)

    def receive(self, gpu, peer, place, count=1, channel=0, after=None):
        """Add a receive to a place."""
        return self.step((gpu, -1, peer, channel), "r", ("i", 0), place, count, after)

    def numbers(self):
        """Return the number of each thread block among the blocks of its GPU."""
        numbers, counts = {}, defaultdict(int)
        for block in self.blocks:
            numbers[block] = counts[block[0]]
            counts[block[0]] += 1
        return numbers

    def xml(self):
        """Return the file."""
        lines = [f"<algo {_attributes(self.attributes)}>"]
        numbers = self.numbers()
        for gpu in range(self.attributes["ngpus"]):
            lines.append(f'  <gpu id="{gpu}">')
            for block, number in numbers.items():
                if block[0] == gpu:
                    send, recv, chan = block[1:]
                    lines.append(f'    <tb id="{number}" send="{send}" recv="{recv}" chan="{chan}">')
                    lines += [f"      {_step(k, step, numbers)}" for k, step in enumerate(self.blocks[block])]
                    lines.append("    </tb>")
            lines.append("  </gpu>")
        return "\n".join([*lines, "</algo>", ""])


def _attributes(values):
    return " ".join(f'{name}="{value}"' for name, value in values.items())


def _step(number, step, numbers):
    block, waited = step["after"] or (None, -1)
    (source, at), (target, to) = step["src"], step["dst"]
    values = {"s": number, "type": step["type"], "srcbuf": source, "srcoff": at, "dstbuf": target, "dstoff": to}
    values |= {"cnt": step["cnt"], "depid": -1 if block is None else numbers[block], "deps": waited}
    return f"<step {_attributes(values)}/>"


def ring_allreduce(gpus, channels=1):
    """A ring per channel, of s, rrs ..., rrcs, rcs ..., r, in place and out of place."""
    draft = Draft("allreduce", gpus, gpus * channels, inplace=1)
    for channel in range(channels):
        for gpu in range(gpus):
            block = (gpu, (gpu + 1) % gpus, (gpu - 1) % gpus, channel)
            kinds = ["s", *["rrs"] * (gpus - 2), "rrcs", *["rcs"] * (gpus - 2), "r"]
            for k, kind in enumerate(kinds):
                chunk = (gpu - k) % gpus * channels + channel
                draft.step(block, kind, ("i", chunk), ("o", chunk))
    return draft


def direct_all_to_all(gpus, each=1):
    """Every GPU sends `each` chunks to every other in one step, and copies its own."""
    draft = Draft("alltoall", gpus, gpus * each)
    for gpu in range(gpus):
        draft.step((gpu, -1, -1, 0), "cpy", ("i", gpu * each), ("o", gpu * each), each)
        for peer in range(gpus):
            if peer != gpu:
                draft.receive(gpu, peer, ("o", peer * each), each)
                draft.send(gpu, peer, ("i", peer * each), each)
    return draft


def halving_reduce_scatter(bits, **attributes):
    """Recursive halving among 2**bits GPUs: partners exchange halves, and add them from scratch memory."""
    gpus = 1 << bits
    draft = Draft("reduce_scatter", gpus, gpus, **attributes)
    done = {}
    for bit in reversed(range(bits)):
        half, received, previous = 1 << bit, {}, dict(done)
        for gpu in range(gpus):
            peer, first = gpu ^ half, (gpu ^ half) >> bit << bit
            draft.send(gpu, peer, ("i", first), half, after=previous.get(gpu))
            received[gpu] = draft.receive(gpu, peer, ("s", 0), half, after=previous.get(gpu))
        for gpu in range(gpus):
            first = gpu >> bit << bit
            done[gpu] = draft.step((gpu, -1, -1, 0), "re", ("s", 0), ("i", first), half, after=received[gpu])
    for gpu in range(gpus):
        draft.step((gpu, -1, -1, 0), "cpy", ("i", gpu), ("o", 0))
    return draft


def ring_allgather(gpus, **attributes):
    """Every GPU passes on the chunks that it receives."""
    draft = Draft("allgather", gpus, gpus, **attributes)
    for gpu in range(gpus):
        draft.step((gpu, -1, -1, 0), "cpy", ("i", 0), ("o", gpu))
        block = (gpu, (gpu + 1) % gpus, (gpu - 1) % gpus, 0)
        draft.step(block, "s", ("i", 0), ("o", 0))
        for k in range(1, gpus - 1):
            draft.step(block, "rcs", ("i", 0), ("o", (gpu - k) % gpus))
        draft.step(block, "r", ("i", 0), ("o", (gpu + 1) % gpus))
    return draft


def chain_broadcast(gpus, root=0, chunks=1):
    """The root sends to the next GPU, which passes it on, and so on."""
    draft = Draft("broadcast", gpus, chunks)
    for k in range(gpus):
        gpu, first, last = (root + k) % gpus, k == 0, k == gpus - 1
        if first:
            draft.step((gpu, -1, -1, 0), "cpy", ("i", 0), ("o", 0), chunks)
        block = (gpu, -1 if last else (gpu + 1) % gpus, -1 if first else (gpu - 1) % gpus, 0)
        for chunk in range(chunks):
            draft.step(block, "s" if first else "r" if last else "rcs", ("i", chunk), ("o", chunk))
    return draft
