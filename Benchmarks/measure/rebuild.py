"""How fast a log is folded again."""

import os
import pwd
import subprocess
import time

from . import report
from .long_log import EVENTS, LongLog

LIBRARY_EVENTS = 40_000
ROUNDS_MAX = 2


def _rebuild(server, events):
    start = time.monotonic()
    subprocess.run(
        [server.islet, "projections", "rebuild", "--tenant", "lately", "--data-dir", server.data],
        check=True, stdout=subprocess.DEVNULL)
    return events / (time.monotonic() - start)


def _library(server):
    """The same orders in the library's own table, so that it does what it was made for."""
    python = server.root / ".build" / "bench" / "eventsourcing" / "bin" / "python"
    environment = dict(os.environ)
    user = os.environ.get("USER", "postgres")
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        environment.update(PEER_UID=str(owner.pw_uid), PEER_GID=str(owner.pw_gid))
        user = "postgres"
    server.psql("DROP TABLE IF EXISTS stored_events")
    output = subprocess.run(
        [str(python), str(server.root / "Benchmarks/peers/eventsourcing/refold.py"),
         f"{server.data}/run", user, str(LIBRARY_EVENTS)],
        check=True, stdout=subprocess.PIPE, env=environment, text=True).stdout
    return float(output)


def _rebuilds(server, rounds, seconds):
    log = LongLog.on(server)
    ours, copies, libraries = [], [], []
    for _ in range(min(rounds, ROUNDS_MAX)):
        ours.append(_rebuild(server, log.heads["lately"]))
        copies.append(log.copy_rate())
        libraries.append(_library(server))
    what = f"islet projections rebuild, {EVENTS:,} events"
    return [
        report.figure(
            "R1", what, "events/s", ours, "psql COPY TO STDOUT, in binary", copies, goal=0.55),
        report.figure(
            "R1b", what, "events/s", ours, "Python's eventsourcing: select, decode, fold",
            libraries, goal=3)]


MEASUREMENTS = {"R1": _rebuilds}
