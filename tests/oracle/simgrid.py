"""Routes by SimGrid (Debian package python3-simgrid), run by the system's Python."""

import json
import subprocess
from functools import cache
from pathlib import Path

from core.timing import simgrid

PLATFORM = """<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="c" topology="{topology}" topo_parameters="{parameters}" prefix="n" suffix="" radical="0-{last}"
 speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>
"""
ROUTES = """
import json, sys, simgrid
engine = simgrid.Engine(["routes", "--log=root.thres:error"])
engine.load_platform(sys.argv[1])
engine.netzone_root.seal()
hosts = sorted(engine.all_hosts, key=lambda host: int(host.name[1:]))
print(json.dumps([[[link.name for link in a.route_to(b)[0]] for b in hosts] for a in hosts]))
"""

Routes = list[list[list[str]]]


pythons = cache(simgrid.pythons)


def routes(folder: Path, topology: str, parameters: str, hosts: int) -> Routes:
    """Return the names of the links from every host to every host of a cluster."""
    platform = folder / "platform.xml"
    platform.write_text(PLATFORM.format(topology=topology, parameters=parameters, last=hosts - 1), encoding="utf-8")
    return routes_in(platform)


def routes_in(platform: Path) -> Routes:
    """Return the links between all hosts of a platform, whose names are one letter and a number."""
    done = subprocess.run([pythons()[0], "-c", ROUTES, platform], capture_output=True, check=True, text=True)
    routes: Routes = json.loads(done.stdout.splitlines()[-1])
    return routes
