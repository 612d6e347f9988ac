"""How fast a log is gone through again: verified, and taken through another policy."""

import contextlib
import json
import os
import pathlib
import subprocess
import time

from . import report
from .long_log import LongLog

# A round has eight replays and six copies in it.
ROUNDS_MAX = 2
POLICY = {"thresholds": {"coalesceSeconds": 30}}


def _bind(server, cores):
    """Puts the server's Postgres, with all that it starts from now on, on some cores."""
    pid = int((pathlib.Path(server.data) / "cluster" / "postmaster.pid").read_text().split()[0])
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for process in [pid, *map(int, children)]:
        # One that has ended since needs none.
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(process, cores)


def _run(server, tenant, words, cores):
    """Seconds and peak memory of the program, on some cores together with Postgres."""
    _bind(server, cores)
    start = time.monotonic()
    process = subprocess.Popen(
        [*_on(cores), server.islet, "replay", *words, "--tenant", tenant,
         "--data-dir", server.data], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"replay {words[0]} ended with {process.returncode}")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def _on(cores):
    return ["taskset", "-c", ",".join(map(str, cores))]


def _copy_rate(log, cores):
    """What Postgres and psql make of it on some cores, as many of them at once."""
    _bind(log.server, cores)
    return log.copy_rate(_on(cores), at_once=len(cores))


def _replays(server, rounds, seconds):
    log = LongLog.on(server)
    policy = pathlib.Path(server.scratch) / "policy.json"
    policy.write_text(json.dumps(POLICY), encoding="utf-8")
    kinds = {
        "states": ["verify"], "decisions": ["verify", "--decisions"],
        "what-if": ["what-if", "--policy", str(policy), "--kind", "PizzaDelivery"]}
    rates = {(kind, count): [] for kind in kinds for count in (1, 2)}
    copies = {key: [] for key in rates}
    peaks = {tenant: {kind: [] for kind in ("decisions", "what-if")} for tenant in log.heads}
    for turn in range(min(rounds, ROUNDS_MAX)):
        for kind, count in rates:
            # One core after the other, as they are not equally fast.
            cores = {0, 1} if count == 2 else {turn % 2}
            # Beside each of them, as a machine is not as fast all the time.
            copies[kind, count].append(_copy_rate(log, cores))
            spent, peak = _run(server, "lately", kinds[kind], cores)
            rates[kind, count].append(log.heads["lately"] / spent)
            if count == 2 and kind in peaks["lately"]:
                peaks["lately"][kind].append(peak / 1e6)
        for kind, few in peaks["briefly"].items():
            few.append(_run(server, "briefly", kinds[kind], {0, 1})[1] / 1e6)
    return _figures(log.heads, rates, copies, peaks)


def _figures(heads, rates, copies, peaks):
    copy = "psql COPY TO STDOUT, in binary"
    million = f"{heads['lately']:,} events"
    figures = []
    for id, kind, what, goal in [
            ("V1", "states", "islet replay verify", 0.5),
            ("V1f", "decisions", "islet replay verify --decisions", None),
            ("V2", "what-if", "islet replay what-if", 0.55)]:
        one, two = rates[kind, 1], rates[kind, 2]
        figures += [
            report.figure(
                id, f"{what}, one core, {million}", "events/s", one, copy, copies[kind, 1], goal),
            report.figure(
                f"{id}x2", f"{what}, two cores", "events/s", two, "on one core", one, goal=1.6)]
    together, alone = (
        [rate for (_, count), found in copies.items() if count == wanted for rate in found]
        for wanted in (2, 1))
    figures.append(
        report.figure(
            "V0x2", f"two of {copy} at once, two cores", "events/s", together,
            "one of it, one core", alone))
    return figures + [
        report.figure(
            id, f"peak memory of islet replay {what}, {million}", "MB",
            peaks["lately"][kind], f"{heads['briefly']:,} events", peaks["briefly"][kind],
            goal=1.5, at_most=True)
        for id, kind, what in [("V3", "decisions", "verify --decisions"), ("V3w", "what-if", "what-if")]]


MEASUREMENTS = {"V1": _replays}
