"""Simulates messages in SimGrid. Run as a script by a Python that has SimGrid, perhaps not ours; never imported.

Standard input is one JSON object, written by `core.timing.simgrid`. Standard output gets a dot for each hundredth of
the messages, then on a new line the times when each rank begins each step, and ends the last. A rank is an actor; a
path is a host with a single route to the common end host, so that a pair of nodes can have several paths.
"""

import json
import sys
from typing import Any

import simgrid

OPTIONS = (
    # Without TCP's windows, header overhead and acknowledgements; latencies as given.
    "network/model:CM02",
    "network/TCP-gamma:0",
    "network/crosstraffic:0",
    "network/weight-S:0",
    "network/bandwidth-factor:1",
    "network/latency-factor:1",
    "maxmin/precision:1e-12",
)


class SimulatedJob:
    """The job and the state of its ranks."""

    def __init__(self, given: Any) -> None:
        self.pauses, self.ranks = given["pauses"], given["ranks"]
        steps = len(self.pauses)
        self.times = [[0.0] * self.ranks for _ in range(steps + 1)]
        self.parts: Any = [[[] for _ in range(self.ranks)] for _ in range(steps)]
        self.expected = [[0] * self.ranks for _ in range(steps)]
        self.arrived: Any = {}
        self.sent, self.total = 0, len(given["parts"])
        self._build(given)
        for step, src, dst, path, volume in given["parts"]:
            self.parts[step][src].append((dst, path, volume))
            self.expected[step][dst] += 1

    def _build(self, given: Any) -> None:
        zone = simgrid.NetZone.create_star_zone("network")
        # Each message waits one latency more than it has links; this link is shared by all without limit.
        wait = zone.create_link("wait", 2.0 * max(given["capacity"])).set_latency(given["wait"])
        wait.set_sharing_policy(simgrid.Link.SharingPolicy.FATPIPE, None)
        wait = simgrid.LinkInRoute(wait.seal())
        used = {number for path in given["paths"] for number in path}
        links: Any = {}
        for number in used:
            link = zone.create_link(f"link {number}", given["capacity"][number])
            link.set_latency(given["wait"] if number < given["waits"] else 0.0)
            links[number] = simgrid.LinkInRoute(link.seal())
        self.end = zone.create_host("end", 1.0)
        zone.add_route(None, self.end.netpoint, None, None, [], False)
        self.end.seal()
        self.hosts: Any = []
        for number, path in enumerate(given["paths"]):
            host = zone.create_host(f"path {number}", 1.0)
            zone.add_route(host.netpoint, None, None, None, [wait] + [links[link] for link in path], False)
            self.hosts.append(host.seal())
        zone.seal()

    def play(self, r: int) -> None:
        """Go through the steps as rank r: send, and wait for arrivals."""
        for step, pause in enumerate(self.pauses):
            self.times[step][r] = simgrid.Engine.clock
            if pause:
                simgrid.this_actor.sleep_for(pause)
            parts = self.parts[step][r]
            pending = [simgrid.Comm.sendto_async(self.hosts[path], self.end, volume) for _, path, volume in parts]
            receivers = [dst for dst, _, _ in parts]
            while pending:
                first = simgrid.Comm.wait_any(pending)
                pending.pop(first)
                self._arrive(step, receivers.pop(first))
            for _ in range(self.expected[step][r]):
                self._gate(step, r).acquire()
        self.times[-1][r] = simgrid.Engine.clock

    def _arrive(self, step: int, dst: int) -> None:
        self._gate(step, dst).release()
        before = 100 * self.sent // self.total
        self.sent += 1
        sys.stdout.write("." * (100 * self.sent // self.total - before))
        sys.stdout.flush()

    def _gate(self, step: int, r: int) -> Any:
        if (step, r) not in self.arrived:
            self.arrived[step, r] = simgrid.Semaphore(0)
        return self.arrived[step, r]


def main() -> None:
    """Run the simulation described on standard input."""
    engine = simgrid.Engine(["fabriscope", "--log=root.thres:critical", *("--cfg=" + option for option in OPTIONS)])
    job = SimulatedJob(json.load(sys.stdin))
    for r in range(job.ranks):
        simgrid.Actor.create(f"rank {r}", job.end, job.play, r)
    engine.run()
    sys.stdout.write("\n" + json.dumps(job.times))


main()
