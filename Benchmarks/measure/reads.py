"""How fast activities are read."""

import json
import time
import urllib.request

from . import report, wrk
from .filling import EVENTS_PER_ACTIVITY, fill
from .server import Server

CONNECTIONS = 64
# Until each of the few has been read.
WARM_UP_SECONDS = 5
SHORT = 100_000
LONG = 10_000_000

# One order is folded; the others are like it, as large and as far. Nobody folds the filler.
COPIES = """
    INSERT INTO snapshot (tenant, generation, activity_id, kind, version, position, phase, folded,
        dispatched, updated_at, fold_version, promised_at, expected_at,
        words)
    SELECT s.tenant, s.generation, 'order-' || n, s.kind, {per}, (n + 1) * {per}, s.phase, s.folded,
        s.dispatched, s.updated_at, s.fold_version, s.promised_at,
        s.expected_at, '10' || n
    FROM snapshot s, generate_series(0, {activities} - 1) n
    WHERE s.activity_id = 'model';
    DELETE FROM snapshot WHERE activity_id = 'model';
    UPDATE projection_checkpoint c SET position = h.position FROM log_head h
    WHERE h.tenant = c.tenant;
    VACUUM ANALYZE snapshot; VACUUM ANALYZE activity_word; CHECKPOINT;
"""

MODEL = [
    ("OrderPlaced", {"orderNumber": "1042", "numberOfPizzas": 2, "totalAmount": "€24.00",
                     "promisedAt": "2026-05-01T18:40:00Z"}),
    ("OrderAccepted", {}), ("PreparationStarted", {}), ("OrderReady", {}),
    ("DriverAssigned", {"driverName": "Ada Lovelace"}), ("OrderPickedUp", {}),
    ("DriverLocated", {"distanceMeters": 1200, "estimatedAt": "2026-05-01T18:37:00Z"}),
]


def populate(server, events):
    """Folds one order, then makes a log of so many events with a snapshot for every 20 of them."""
    batch = [{"specversion": "1.0", "id": f"model-{number}", "source": "/bench",
              "type": f"PizzaDelivery.{name}", "subject": "model",
              "time": f"2026-05-01T18:{number:02}:00Z", "data": data}
             for number, (name, data) in enumerate(MODEL)]
    request = urllib.request.Request(
        f"{server.url}/v1/events", json.dumps(batch).encode(), {
            "Authorization": f"Bearer {server.key}",
            "Content-Type": "application/cloudevents-batch+json"})
    urllib.request.urlopen(request)
    deadline = time.monotonic() + 30
    while server.psql("SELECT count(*) FROM snapshot WHERE version = 7") != "1":
        if time.monotonic() > deadline:
            raise SystemExit("the model order was not folded")
        time.sleep(0.05)
    # The folded order's events make room for the filler's.
    server.psql(f"""
        ALTER TABLE event DISABLE TRIGGER USER; DELETE FROM event;
        ALTER TABLE event ENABLE TRIGGER USER;
        UPDATE projection_checkpoint SET position = {events};""")
    fill(server, server.tenant, events)
    server.psql(COPIES.format(per=EVENTS_PER_ACTIVITY, activities=events // EVENTS_PER_ACTIVITY))


def get(server, path, seconds, activities=0, apart=1):
    """Reads for a while; returns answers per second, the p50 of one in ms, and the server's CPU
    time for one in µs."""
    return wrk.ask(server, "get.lua", path, CONNECTIONS, seconds, activities, apart)


def _reads(root, output, rounds, seconds):
    reads, healths = [], []
    with Server(root, output, roles=("api", "projector"), tenant="reads") as server:
        populate(server, SHORT)
        activities = SHORT // EVENTS_PER_ACTIVITY
        get(server, "/v1/activities/", WARM_UP_SECONDS, activities)
        for _ in range(rounds):
            reads.append(get(server, "/v1/activities/", seconds, activities))
            healths.append(get(server, "/healthz", seconds))
    return report.figure(
        "R3", f"GET of one activity, {CONNECTIONS} connections", "answers/s",
        [one[0] for one in reads], "/healthz of the same server",
        [one[0] for one in healths], goal=0.5, cpu_micros=[one[2] for one in reads],
        against_cpu_micros=[one[2] for one in healths])


def _growth(root, output, rounds, seconds):
    """The same reads in turns of two servers, whose tables differ in nothing but length: as many
    activities are read of both, in the long one far apart. Then any activity of the long one, of
    which nothing is kept ready."""
    long_reads, short_reads, cold_reads, healths = [], [], [], []
    roles = ("api", "projector")
    hot = SHORT // EVENTS_PER_ACTIVITY
    path = "/v1/activities/"
    with Server(root, output, roles, "long") as long, Server(root, output, roles, "short") as short:
        populate(short, SHORT)
        print(f"filling tables with {LONG:,} events", flush=True)
        populate(long, LONG)
        apart = LONG // SHORT
        get(long, path, WARM_UP_SECONDS, hot, apart)
        get(short, path, WARM_UP_SECONDS, hot)
        for _ in range(rounds):
            long_reads.append(get(long, path, seconds, hot, apart))
            short_reads.append(get(short, path, seconds, hot))
        for _ in range(rounds):
            cold_reads.append(get(long, path, seconds, LONG // EVENTS_PER_ACTIVITY))
            healths.append(get(long, "/healthz", seconds))
    return [
        report.figure(
            "R3L", f"GET of one of {hot:,} activities among {LONG // EVENTS_PER_ACTIVITY:,}, p50",
            "ms", [one[1] for one in long_reads], f"the same among {hot:,}",
            [one[1] for one in short_reads], goal=1.2, at_most=True,
            cpu_micros=[one[2] for one in long_reads],
            against_cpu_micros=[one[2] for one in short_reads]),
        report.figure(
            "R3L", f"GET of any of {LONG // EVENTS_PER_ACTIVITY:,} activities", "answers/s",
            [one[0] for one in cold_reads], "/healthz of the same server",
            [one[0] for one in healths], cpu_micros=[one[2] for one in cold_reads],
            against_cpu_micros=[one[2] for one in healths]),
    ]


# R3L takes minutes and 10 GB: only on demand.
MEASUREMENTS = {"R3": _reads, "R3L": _growth}
