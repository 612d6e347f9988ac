"""What one tenant, and one phone, can do to another tenant."""

import json
import pathlib
import re
import subprocess
import time
import urllib.request
import uuid

from . import report, wrk
from .server import Server

QUIET = pathlib.Path(__file__).with_name("quiet.lua")
HOSTILE = pathlib.Path(__file__).with_name("hostile.lua")
# As many as take all that the node has, each with the next request ready.
HOSTILE_CONNECTIONS = 32
# Until the hostile one has used up what it may save up.
WARM_UP_SECONDS = 5
ROUNDS_MAX = 2


def _quiet(server, key, seconds):
    """Posts single events over two connections; returns the p99 in ms."""
    output = subprocess.run(
        ["wrk", "-t1", "-c2", f"-d{seconds}s", "-s", str(QUIET), f"{server.url}/v1/events",
         "--", key, uuid.uuid4().hex[:8]],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    requests, errors, p50, p99 = wrk.result(output)
    # Nobody is to be refused for what another does.
    if errors or not requests:
        raise SystemExit(f"{errors} of {requests} requests of the quiet tenant failed:\n{output}")
    return p50 / 1000, p99 / 1000


def _beside(server, key, seconds, path, credential, kind):
    """The same while somebody else sends all they can."""
    total = WARM_UP_SECONDS + seconds + 2
    hostile = subprocess.Popen(
        ["wrk", "-t1", f"-c{HOSTILE_CONNECTIONS}", f"-d{total}s", "-s", str(HOSTILE),
         f"{server.url}{path}", "--", credential, kind, uuid.uuid4().hex[:8]],
        stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(WARM_UP_SECONDS)
        return _quiet(server, key, seconds)
    finally:
        output, _ = hostile.communicate()
        found = re.search(r"HOSTILE (.*)", output)
        print(f"  hostile: {found.group(1) if found else 'told no result'}")


def _figure(root, output, rounds, seconds, id, title, kind, attack):
    idle, beside = [], []
    # With its default limits, which are what is measured.
    with Server(root, output, tenant="quiet", limits=()) as server:
        path, credential = attack(server)
        _quiet(server, server.key, seconds)
        server.age()
        for _ in range(min(rounds, ROUNDS_MAX)):
            idle.append(_quiet(server, server.key, seconds))
            beside.append(_beside(server, server.key, seconds, path, credential, kind))
    print(f"  p50: idle {[each[0] for each in idle]}, beside {[each[0] for each in beside]} ms")
    return report.figure(
        id, title, "ms", [each[1] for each in beside], "the same with nothing beside it",
        [each[1] for each in idle], goal=3, at_most=True)


def _tenant(root, output, rounds, seconds):
    def attack(server):
        return "/v1/events", server.make_key("hostile", "events:write")

    return _figure(
        root, output, rounds, seconds, "F1",
        "p99 of another tenant's POST beside batches of 1,000", "batches", attack)


def _ticket(root, output, rounds, seconds):
    def attack(server):
        key = server.make_key("hostile", "registrations:write")
        request = urllib.request.Request(
            f"{server.url}/v1/activities/card/tickets", b"{}",
            {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return "/v1/activities/card/registrations", json.load(answer)["ticket"]

    return _figure(
        root, output, rounds, seconds, "F2",
        "p99 of another tenant's POST beside a ticket's megabytes", "megabytes", attack)


MEASUREMENTS = {"F1": _tenant, "F2": _ticket}
