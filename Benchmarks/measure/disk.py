"""What an event takes up on disk, with its decision and its share of the activity's snapshot."""

import http.client
import json
import subprocess
import time
import uuid
from datetime import datetime, timedelta, timezone

from . import report
from .server import Server

ACTIVITIES = 3_000
# Under way at a time: an order's events are far apart, as they are in life.
UNDER_WAY = 250
BATCH = 10
# As autovacuum does once a minute when a hundred events come in a second.
VACUUM_EVENTS = 6_000
DEADLINE_SECONDS = 300

# Whole numbers named `…At` are minutes from when it is posted on.
STORY = [
    ("OrderPlaced", {"orderNumber": "{number}", "numberOfPizzas": 2, "totalAmount": "${price}",
                     "promisedAt": 40}),
    ("OrderAccepted", {}),
    ("PreparationStarted", {}),
    ("DriverAssigned", {"driverName": "{driver}"}),
    ("OrderPickedUp", {"estimatedAt": 35}),
    ("DriverLocated", {"distanceMeters": 1200, "estimatedAt": 36}),
    ("DriverLocated", {"distanceMeters": 90, "estimatedAt": 38}),
    ("OrderDelivered", {}),
]

# No two orders alike, as far as a phone's texts go.
FIRST = "Ada Ben Carla Dao Elif Femi Grete Hugo Ines Jonas Keiko Liam Mona Nadia Oskar Priya".split()
LAST = "Acar Brandt Costa Duarte Evans Fischer Gupta Hansen Ito Jensen Kaya Lopez Moreau Novak".split()

# Each table and index by its size; the statistics of a table say how many of its updates were HOT.
SIZES = """
    SELECT c.relname, coalesce(i.indrelid::regclass::text, c.relname),
        CASE WHEN c.relkind = 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END
    FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i')"""
UPDATES = "SELECT relname, n_tup_ins, n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables"


def _events():
    """Batches of all orders' events; a batch has no order twice."""
    for first in range(0, ACTIVITIES, UNDER_WAY):
        for type, data in STORY:
            for start in range(first, first + UNDER_WAY, BATCH):
                yield [_event(number, type, data) for number in range(start, start + BATCH)]


def _event(number, type, data):
    now = datetime.now(timezone.utc)

    def filled(name, value):
        if name.endswith("At"):
            return (now + timedelta(minutes=value)).strftime("%Y-%m-%dT%H:%M:%SZ")
        if not isinstance(value, str):
            return value
        return value.format(
            number=number, price=f"{9 + number * 7 % 50}.{number * 13 % 100:02}",
            driver=f"{FIRST[number % len(FIRST)]} {LAST[number % len(LAST)]}")

    return {
        "specversion": "1.0", "id": _uuid7(), "source": "/shops/17/orders", "subject": f"order-{1000000 + number}",
        "type": f"PizzaDelivery.{type}", "time": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "data": {name: filled(name, value) for name, value in data.items()}}


def _uuid7():
    """In order, as we advise merchants to make them."""
    random = uuid.uuid4().int
    bits = (time.time_ns() // 1_000_000) << 80 | 7 << 76 | (random >> 64 & 0xFFF) << 64
    return str(uuid.UUID(int=bits | 2 << 62 | random & ((1 << 62) - 1)))


def _post_all(server):
    """Returns how many events and how many bytes of JSON were posted, without what is around the events."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/cloudevents-batch+json"}
    count = size = 0
    for events in _events():
        parts = [json.dumps(event, separators=(",", ":")) for event in events]
        connection.request("POST", "/v1/events", body="[" + ",".join(parts) + "]", headers=headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 201):
            raise SystemExit(f"the server answered {answer.status}: {text[:300]}")
        if (count + len(parts)) // VACUUM_EVENTS > count // VACUUM_EVENTS:
            server.psql("VACUUM")
        count += len(parts)
        size += sum(len(part.encode()) for part in parts)
    connection.close()
    return count, size


def _wait(server, count):
    """Until everything is folded, decided and settled."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        decided, open = server.psql(
            "SELECT count(*), count(*) FILTER (WHERE settled_at IS NULL AND verdict <> 'hold') FROM decision"
        ).split("|")
        if int(decided) == count and open == "0":
            return
        time.sleep(0.5)
    raise SystemExit(f"of {count} events {decided} were decided in time, and {open} of them not settled")


def _sizes(server):
    rows = [line.split("|") for line in server.psql(SIZES).splitlines()]
    return {(table, name): int(size) for name, table, size in rows}


def _key(output):
    """Nothing is pushed, since there are no phones; the sender settles what was decided."""
    path = output / "disk.p8"
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-out", str(path)], check=True, stderr=subprocess.DEVNULL)
    return ["--apns-url", "https://127.0.0.1:9", "--apns-key-file", str(path), "--apns-key-id", "BENCHKEY01",
            "--apns-team-id", "BENCHTEAM1"]


def _disk(root, output, rounds):
    with Server(root, output, roles=("api", "projector", "sender"), tenant="disk", options=_key(output)) as server:
        server.psql("VACUUM ANALYZE")
        empty = _sizes(server)
        count, posted = _post_all(server)
        _wait(server, count)
        time.sleep(1.5)
        updates = [line.split("|") for line in server.psql(UPDATES).splitlines()]
        server.psql("VACUUM ANALYZE")
        grown = {name: size - empty.get(name, 0) for name, size in _sizes(server).items()}
    for (table, name), size in sorted(grown.items(), key=lambda item: -item[1]):
        if size >= count:
            print(f"E3: {size / count:7.1f} bytes an event: {name}" + ("" if name == table else f", index of {table}"))
    for name, inserted, updated, hot in updates:
        if int(updated) >= ACTIVITIES:
            print(f"E3: {name}: {inserted} rows, {updated} updates, {int(hot) / int(updated):.1%} of them HOT")
    return report.figure(
        "E3", f"disk for an event, its decision and snapshot, {count:,} events of {ACTIVITIES:,} activities", "bytes",
        [sum(grown.values()) / count], "its JSON as posted", [posted / count], goal=3, at_most=True)


MEASUREMENTS = {"E3": _disk}
