"""What looking after Islet costs those who use it meanwhile."""

import json
import statistics
import subprocess
import threading
import time
import urllib.request

from . import live, report
from .server import Server, free_port

TENANTS = 10_000
SCRAPES = 50
ARCHIVED = 1_000_000
EVENTS_PER_ACTIVITY = 20
RATE = 500
SECONDS = 10
FOLD_SECONDS_MAX = 600
ARCHIVE_SECONDS_MAX = 3_600
MOVE_SECONDS_MAX = 900

# A tenant with one event each, which the server folds.
CROWD = """
    INSERT INTO tenant (name) SELECT 'crowd-' || n FROM generate_series(1, {tenants}) n;
    INSERT INTO log_head (tenant) SELECT id FROM tenant WHERE name LIKE 'crowd-%'
        ON CONFLICT DO NOTHING;
    INSERT INTO projection_checkpoint (tenant) SELECT id FROM tenant WHERE name LIKE 'crowd-%'
        ON CONFLICT DO NOTHING;
"""

# Orders that were delivered long ago.
ENDED = """
    INSERT INTO event (tenant, position, activity_id, version, event_id, source, type,
        schema_version, occurred_at, recorded_at, data)
    SELECT t.id, n, 'order-' || (n - 1) / {per}, 1 + (n - 1) % {per},
        to_char(n, 'FM000000000000') || '-7000-8000-' || to_char(n, 'FM000000000000'),
        '/bench',
        'PizzaDelivery.' || CASE n % {per} WHEN 1 THEN 'OrderPlaced' WHEN 2 THEN 'OrderPickedUp'
            WHEN 0 THEN 'OrderDelivered' ELSE 'DriverLocated' END, 1, at.moment, at.moment,
        CASE n % {per} WHEN 1 THEN jsonb_build_object('orderNumber', n::text, 'numberOfPizzas', 2,
                'totalAmount', '€24.00', 'promisedAt', at.moment + interval '30 minutes')
            WHEN 2 THEN '{{}}' WHEN 0 THEN '{{}}'
            ELSE jsonb_build_object('distanceMeters', 1200 + n % 100) END
    FROM tenant t, generate_series(1, {events}) n,
        LATERAL (SELECT now() - interval '90 days' + n * interval '1 millisecond') at (moment)
    WHERE t.name = '{tenant}' ORDER BY n;
    UPDATE log_head SET position = {events}, recorded_at = now() - interval '89 days'
    WHERE tenant = (SELECT id FROM tenant WHERE name = '{tenant}');
"""


def _scrape(root, output, rounds, seconds):
    """GET /metrics of a node that has many tenants."""
    port = free_port()
    with Server(root, output, roles=("api", "projector", "sender"), tenant="scraped",
                options=("--metrics-port", str(port))) as server:
        server.psql(CROWD.format(tenants=TENANTS))
        time.sleep(3)
        took = []
        for _ in range(SCRAPES):
            began = time.monotonic()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                text = answer.read()
            took.append((time.monotonic() - began) * 1000)
            time.sleep(0.1)
        print(f"O1: {len(text):,} bytes, p50 {statistics.median(took):.1f} ms", flush=True)
    return report.figure("O1", f"GET /metrics with {TENANTS:,} tenants, p99", "ms",
                         [report.p99(took)], "20 ms", [20], goal=1, at_most=True)


def _archiving(root, output, rounds, seconds):
    """R2 at half its rate, beside an archive of a million events that are then dropped."""
    bench = str(root / ".build" / "release" / "islet-bench")
    idle, beside = [], []
    with Server(root, output, roles=("api", "projector"), tenant="live") as server:
        _make_old(server, "old")
        server.age()
        _visible(server, bench)
        idle = [_visible(server, bench) for _ in range(3)]
        archive = _Archive(server, "old")
        archive.start()
        while archive.is_alive():
            beside.append(_visible(server, bench))
        archive.join()
        if archive.failure:
            raise SystemExit(f"O2: islet archive: {archive.failure}")
        print(f"O2: {archive.said}, {archive.seconds:.0f} s; p99 idle {_short(idle)}, beside "
              f"{_short(beside)} ms", flush=True)
    return report.figure(
        "O2", f"sending to visible at {RATE} events/s while {ARCHIVED:,} events are archived and dropped, p99",
        "ms", beside, "the same with nothing beside it", idle, goal=2, at_most=True)


def _make_old(server, tenant):
    server.make_key(tenant)
    server.psql(ENDED.format(tenant=tenant, events=ARCHIVED, per=EVENTS_PER_ACTIVITY))
    deadline = time.monotonic() + FOLD_SECONDS_MAX
    folded = f"""SELECT position >= {ARCHIVED} FROM projection_checkpoint
        WHERE tenant = (SELECT id FROM tenant WHERE name = '{tenant}')"""
    while server.psql(folded) != "t":
        if time.monotonic() > deadline:
            raise SystemExit("the old tenant was not folded in time")
        time.sleep(1)
    # Nobody sends here and no clock runs: as if all of it had been done long ago.
    mine = f"WHERE tenant = (SELECT id FROM tenant WHERE name = '{tenant}')"
    server.psql(f"DELETE FROM pending_decision {mine}; UPDATE snapshot SET due_at = NULL {mine}")
    server.psql("VACUUM ANALYZE")


class _Archive(threading.Thread):
    """`islet archive`, in a process of its own."""

    def __init__(self, server, tenant):
        super().__init__()
        self.command = [
            server.islet, "archive", "--tenant", tenant, "--to", f"{server.scratch}/archive",
            "--older-than-days", "30", "--data-dir", server.data, "--json"]
        self.said, self.seconds = "", 0
        # Why there is nothing to measure; a thread's exception would be lost.
        self.failure = ""

    def run(self):
        began = time.monotonic()
        try:
            ended = subprocess.run(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   timeout=ARCHIVE_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.failure = f"not done after {ARCHIVE_SECONDS_MAX} s"
            return
        self.seconds = time.monotonic() - began
        self.said = ended.stdout.strip()
        if ended.returncode:
            self.failure = ended.stderr[-500:] or f"ended with {ended.returncode}"


def _moving(root, output, rounds, seconds):
    """A tenant of a million events, from one database to another."""
    with Server(root, output, roles=("api", "projector"), tenant="one") as one, \
            Server(root, output, roles=("api",), tenant="two") as two:
        for server, place in ((one, ("eu1", "--number", "1")), (two, ("eu2",))):
            _islet(server, "cells", "set", *place, "--here")
        _make_old(one, "large")
        copied = _copy(one, two, "large")
        began = time.monotonic()
        said = json.loads(_islet(one, "tenants", "move", "large", "--to-data-dir", two.data, "--json"))
        took = time.monotonic() - began
        print(f"O3: {said['rows']:,} rows in {took:.0f} s, fenced for {said['fencedMillis']} ms", flush=True)
    return report.figure("O3", f"islet tenants move, {ARCHIVED:,} events", "s", [took],
                         "COPY of the same tables from psql to psql", [copied])


def _islet(server, *arguments):
    return subprocess.run([server.islet, *arguments, "--data-dir", server.data], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=MOVE_SECONDS_MAX).stdout


def _copy(one, two, tenant):
    """Seconds that COPY takes for a tenant's large tables, into tables with the same indexes."""
    began = time.monotonic()
    for table in ("event", "decision", "snapshot", "activity_word"):
        two.psql(f"CREATE TABLE copied_{table} (LIKE {table} INCLUDING ALL)")
        rows = f"SELECT * FROM {table} WHERE tenant = (SELECT id FROM tenant WHERE name = '{tenant}')"
        sender = _psql(one, f"COPY ({rows}) TO STDOUT", stdout=subprocess.PIPE)
        _psql(two, f"COPY copied_{table} FROM STDIN", stdin=sender.stdout).communicate()
        sender.wait()
        two.psql(f"DROP TABLE copied_{table}")
    return time.monotonic() - began


def _psql(server, statement, **pipes):
    return subprocess.Popen(
        server.as_owner(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", server.database_url,
                         "-c", statement]), **pipes)


def _visible(server, bench):
    return report.p99(live.run(server, bench, RATE, SECONDS)["visibleMillis"])


def _short(values):
    return ", ".join(f"{value:.1f}" for value in values)


MEASUREMENTS = {"O1": _scrape, "O2": _archiving, "O3": _moving}
