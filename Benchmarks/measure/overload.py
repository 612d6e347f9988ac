"""Whether the server's memory stays where it is when it is sent far more than it can do."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
import uuid

from . import report, wrk

SCRIPT = pathlib.Path(__file__).with_name("overload.lua")
CONNECTIONS = 256
# Bodies just below ServerLimits.bodyBytesMax, of events whose bytes and whose number are bound
# alike by the queue's limits.
EVENTS_PER_REQUEST = 240
EVENT_BYTES = 4_300
CYCLE_SECONDS = 20
STALL_AFTER_SECONDS = 5
# Longer than a caller is kept waiting for its turn (AppendLimits.queueWaitSeconds).
STALL_SECONDS = 10
SAMPLE_SECONDS = 0.1
RECOVERY_SECONDS_MAX = 30
ROUNDS_MAX = 2

# What the limits allow to be reserved at a time, in bytes. A body is kept by the parser and, while it
# is dealt with, by the request:
BODY = EVENTS_PER_REQUEST * EVENT_BYTES
PIPELINED = 64 << 10  # ServerLimits.pipelinedBytesMax, for each connection
QUEUED = 64 << 20  # PostgresStore's Limits.queuedBytesMax, of event data
# Beside its data an event that waits has five strings and two moments.
QUEUED_EVENTS = 20_000 * 500  # AppendLimits.queuedEventsMax
# Of the batch that is being committed: the events, their parameters, and libpq's copy of those.
COMMITTING = 3 * 1_000 * EVENT_BYTES  # Limits.batchEventsMax
# The tree of the one request that is being read, and its events.
READING = 3 * BODY
ALLOWED = CONNECTIONS * (2 * BODY + PIPELINED) + QUEUED + QUEUED_EVENTS + COMMITTING + READING


def _resident(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)) * 1024


def _backends(server):
    """Postgres' processes that serve the server's connections."""
    return [int(pid) for pid in server.psql(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
        "AND pid <> pg_backend_pid()").split()]


def _cycle(server):
    """Overload with a Postgres that stands still for a while; returns the resident memory by
    seconds, and the counts of answers."""
    stopped = []
    samples = []
    generator = subprocess.Popen(
        ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{CYCLE_SECONDS}s", "--timeout", "60s",
         "-s", str(SCRIPT), f"{server.url}/v1/events", "--", server.key,
         str(EVENTS_PER_REQUEST), uuid.uuid4().hex[:8]],
        stdout=subprocess.PIPE, text=True)
    start = time.monotonic()
    try:
        while generator.poll() is None:
            passed = time.monotonic() - start
            samples.append((passed, _resident(server)))
            if not stopped and passed > STALL_AFTER_SECONDS:
                stopped = _backends(server)
                _signal(stopped, signal.SIGSTOP)
            elif stopped and passed > STALL_AFTER_SECONDS + STALL_SECONDS:
                _signal(stopped, signal.SIGCONT)
            time.sleep(SAMPLE_SECONDS)
    finally:
        _signal(stopped, signal.SIGCONT)
    return samples, wrk.result(generator.communicate()[0])


def _signal(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def _recover(server):
    """Returns when events are taken again; a server that does not come back fails the run."""
    event = json.dumps({
        "specversion": "1.0", "id": uuid.uuid4().hex, "source": "/bench", "subject": "order-1",
        "type": "PizzaDelivery.DriverLocated", "time": "2026-05-01T12:00:00Z",
        "data": {"distanceMeters": 1}}).encode()
    request = urllib.request.Request(
        f"{server.url}/v1/events", data=event,
        headers={"content-type": "application/json", "authorization": f"Bearer {server.key}"})
    deadline = time.monotonic() + RECOVERY_SECONDS_MAX
    while True:
        try:
            urllib.request.urlopen(request, timeout=RECOVERY_SECONDS_MAX)
            return
        except urllib.error.HTTPError as error:
            if error.code != 503 or time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def _overload(server, rounds, seconds):
    idle = _resident(server)
    peaks = []
    for round in range(min(rounds, ROUNDS_MAX)):
        samples, (recorded, refused, refused_with_time, others) = _cycle(server)
        by_second = {int(at): size for at, size in samples}
        print(f"overload {round + 1}: resident MB by second: "
              + " ".join(f"{size / 1e6:.0f}" for size in by_second.values()))
        print(f"overload {round + 1}: {recorded} requests recorded, {refused} sent away with 503, "
              f"{refused_with_time} of them with Retry-After, {others} other answers", flush=True)
        if not refused or refused != refused_with_time or others:
            raise SystemExit("overload must be answered by 503 with Retry-After, and only so")
        peaks.append(max(size for _, size in samples))
        _recover(server)
    growths = [(peak - idle) / 1e6 for peak in peaks]
    return [
        report.figure(
            "M1", f"memory under overload, {CONNECTIONS} connections, over {idle / 1e6:.0f} MB",
            "MB", growths, "what the limits allow", [ALLOWED / 1e6], goal=1, at_most=True),
        report.figure(
            "M2", "memory at the peak of the last overload", "MB", [peaks[-1] / 1e6],
            "at the peak of the first", [peaks[0] / 1e6], goal=1.15, at_most=True),
    ]


MEASUREMENTS = {"M1": _overload}
