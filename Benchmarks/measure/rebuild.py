"""How fast a log is folded anew."""

import os
import pwd
import subprocess
import time

from . import report
from .filling import fill

EVENTS = 1_000_000
LIBRARY_EVENTS = 60_000
TENANT = "rebuilt"

# Orders of twenty events instead of twenty positions of a driver.
VARY = """
    ALTER TABLE event DISABLE TRIGGER event_is_only_erased;
    UPDATE event SET (type, data) = (SELECT 'PizzaDelivery.' || v.type, v.data FROM (VALUES
        (1, 'OrderPlaced', jsonb_build_object('orderNumber', position::text, 'numberOfPizzas', 2,
            'totalAmount', '$31.50', 'promisedAt', '2026-05-01T12:40:00Z')),
        (2, 'OrderAccepted', '{{}}'), (3, 'DriverAssigned', '{{"driverName":"Ada Lovelace"}}'),
        (4, 'OrderPickedUp', '{{"estimatedAt":"2026-05-01T12:35:00Z"}}'),
        (20, 'OrderDelivered', '{{}}')) v (version, type, data) WHERE v.version = event.version)
    WHERE version IN (1, 2, 3, 4, 20) AND tenant = {tenant};
    ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_only_erased;
    UPDATE projection_checkpoint SET position = {events} WHERE tenant = {tenant};
    VACUUM ANALYZE event;
"""


def _rebuild(server):
    start = time.monotonic()
    subprocess.run(
        [server.islet, "projections", "rebuild", "--tenant", TENANT, "--data-dir", server.data],
        check=True, stdout=subprocess.DEVNULL)
    return EVENTS / (time.monotonic() - start)


def copy_rate(server, tenant, events=EVENTS, prefix=(), at_once=1):
    """Events a second of Postgres' own way out.

    `prefix` is what psql is started by, such as `taskset`; `at_once` is how many of it there are.
    """
    start = time.monotonic()
    copies = [
        subprocess.Popen(
            [*prefix, *server.as_owner(
                ["psql", "-qX", "-d", server.database_url, "-c",
                 f"COPY (SELECT * FROM event WHERE tenant = {tenant} ORDER BY position) "
                 f"TO STDOUT (FORMAT binary)"])],
            stdout=subprocess.DEVNULL)
        for _ in range(at_once)]
    if any([copy.wait() for copy in copies]):
        raise RuntimeError("psql's COPY failed")
    return at_once * events / (time.monotonic() - start)


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
    fill(server, TENANT, EVENTS)
    tenant = int(server.psql(f"SELECT id FROM tenant WHERE name = '{TENANT}'"))
    server.psql(VARY.format(tenant=tenant, events=EVENTS))
    # The first has no live snapshots beside it, so it does not count.
    _rebuild(server)
    ours, copies, libraries = [], [], []
    for _ in range(rounds):
        ours.append(_rebuild(server))
        copies.append(copy_rate(server, tenant))
        libraries.append(_library(server))
    what = f"islet projections rebuild, {EVENTS:,} events"
    return [
        report.figure(
            "R1", what, "events/s", ours, "psql COPY TO STDOUT, in binary", copies, goal=0.55),
        report.figure(
            "R1b", what, "events/s", ours, "Python's eventsourcing: select, decode, fold",
            libraries, goal=3)]


MEASUREMENTS = {"R1": _rebuilds}
