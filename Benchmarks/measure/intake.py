"""How fast events get into the log."""

import dataclasses
import pathlib
import re
import subprocess
import typing
import uuid

from . import report

COPY_CHUNK = 1000
SCRIPT = pathlib.Path(__file__).with_name("post.lua")


@dataclasses.dataclass
class Measurement:
    id: str
    run: typing.Callable


def _post(server, connections, size, seconds):
    """Posts new events for a while; returns (events per second, p50 of a request in ms)."""
    output = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(SCRIPT),
         f"{server.url}/v1/events", "--", server.key, str(size), uuid.uuid4().hex[:8]],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    requests, duration, errors, p50 = map(int, re.search(
        r"RESULT (\d+) (\d+) (\d+) (\d+)", output).groups())
    if errors:
        raise SystemExit(f"{errors} requests failed:\n{output}")
    return requests * size / (duration / 1e6), p50 / 1000


def _copy(server):
    """COPYs stored events into a table of the same shape, a thousand a transaction, moving the
    head row each time; returns events per second."""
    last = int(server.psql("SELECT position FROM log_head ORDER BY position DESC LIMIT 1"))
    chunks = min(100, last // COPY_CHUNK)
    if chunks == 0:
        raise SystemExit("too few events were posted to compare COPY with")
    server.psql("DROP TABLE IF EXISTS bench_copy; CREATE TABLE bench_copy (LIKE event INCLUDING ALL)")
    folder = f"{server.data}/run"
    script = []
    for chunk in range(chunks):
        first = last - (chunk + 1) * COPY_CHUNK
        file = f"{folder}/chunk-{chunk}.bin"
        server.psql(f"COPY (SELECT * FROM event WHERE position > {first} "
                    f"AND position <= {first + COPY_CHUNK} ORDER BY position) "
                    f"TO '{file}' (FORMAT binary)")
        script.append(f"BEGIN; UPDATE log_head SET position = position; "
                      f"COPY bench_copy FROM '{file}' (FORMAT binary); COMMIT;")
    timed = "SELECT extract(epoch FROM clock_timestamp());\n"
    output = server.psql(timed + "\n".join(script) + "\n" + timed).split("\n")
    server.psql("DROP TABLE bench_copy")
    return chunks * COPY_CHUNK / (float(output[-1]) - float(output[0]))


PGBENCH = """\
\\set order random(1, 1000)
INSERT INTO bench_insert (tenant, activity_id, version, event_id, source, type, schema_version,
    occurred_at, recorded_at, data)
VALUES (1, 'order-' || :order, nextval('bench_version'), gen_random_uuid(), '/bench',
    'PizzaDelivery.DriverLocated', 1, now(), now(),
    '{"latitude":45.07,"longitude":7.69,"note":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}');
"""


def _pgbench(server, clients, seconds):
    """One INSERT a transaction into a table with the log's columns and indexes, numbered by
    sequences instead of a head row; returns (transactions per second, mean latency in ms)."""
    server.psql("""
        DROP TABLE IF EXISTS bench_insert;
        DROP SEQUENCE IF EXISTS bench_version;
        CREATE TABLE bench_insert (LIKE event INCLUDING ALL);
        ALTER TABLE bench_insert ALTER position ADD GENERATED ALWAYS AS IDENTITY;
        CREATE SEQUENCE bench_version;""")
    file = server.output / "insert.pgbench"
    file.write_text(PGBENCH)
    output = subprocess.run(
        server.as_owner([
            "pgbench", "-n", "-M", "prepared", "-f", "/dev/stdin", "-c", str(clients),
            "-j", str(min(2, clients)), "-T", str(seconds), server.database_url]),
        stdin=open(file, encoding="utf-8"), check=True, stdout=subprocess.PIPE, text=True).stdout
    server.psql("DROP TABLE bench_insert; DROP SEQUENCE bench_version")
    rate = float(re.search(r"tps = ([\d.]+) \(without", output).group(1))
    latency = float(re.search(r"latency average = ([\d.]+) ms", output).group(1))
    return rate, latency


def _batches(server, rounds, seconds):
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_post(server, 4, 100, seconds)[0])
        theirs.append(_copy(server))
    return report.figure(
        "W1", "POST of 100 events, 4 connections", "events/s", ours,
        "binary COPY, 1,000 a transaction", theirs, goal=0.75)


def _singles(server, rounds, seconds):
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_post(server, 64, 1, seconds)[0])
        theirs.append(max(_pgbench(server, clients, seconds)[0] for clients in (1, 8, 32, 64)))
    return report.figure(
        "W2", "POST of one event, 64 connections", "events/s", ours,
        "pgbench, one INSERT a transaction, best of 1 to 64 clients", theirs, goal=1.5)


def _latency(server, rounds, seconds):
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_post(server, 1, 1, seconds)[1])
        theirs.append(_pgbench(server, 1, seconds)[1])
    return report.figure(
        "W3", "POST of one event, one connection, p50", "ms", ours,
        "pgbench, one client, mean", theirs, goal=1.5, at_most=True)


MEASUREMENTS = [
    Measurement("W1", _batches),
    Measurement("W2", _singles),
    Measurement("W3", _latency),
]
