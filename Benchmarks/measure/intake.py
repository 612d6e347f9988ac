"""How fast events get into the log."""

import os
import pathlib
import re
import statistics
import subprocess
import uuid

from . import report, wrk
from .peer import Peer

COPY_CHUNK = 1000
CHUNKS_MAX = 100
CLIENTS = (1, 4, 16, 32, 64)
# To find out how many clients or workers of the other side are best, before the first round.
TRIAL_SECONDS = 2


def post(server, connections, size, seconds):
    """Posts new events for a while; returns events per second, the p50 of a request in ms, and the
    server's CPU time for one event in µs."""
    rate, p50, cpu = wrk.ask(
        server, "post.lua", "/v1/events", connections, seconds, size, uuid.uuid4().hex[:8])
    return rate * size, p50, cpu / size


def _copy(server):
    """COPYs stored events into an empty table of the same shape, a thousand a transaction, moving
    the head row each time; returns events per second."""
    last = int(server.psql("SELECT max(position) FROM log_head"))
    chunks = min(CHUNKS_MAX, last // COPY_CHUNK)
    if chunks == 0:
        raise SystemExit("too few events were posted to compare COPY with")
    files = [f"{server.scratch}/chunk-{chunk}.bin" for chunk in range(chunks)]
    start = last - chunks * COPY_CHUNK
    server.psql("\n".join(
        f"COPY (SELECT * FROM event WHERE position > {start + chunk * COPY_CHUNK} "
        f"AND position <= {start + (chunk + 1) * COPY_CHUNK} ORDER BY position) "
        f"TO '{file}' (FORMAT binary);" for chunk, file in enumerate(files)))
    server.psql("DROP TABLE IF EXISTS bench_copy; "
                "CREATE TABLE bench_copy (LIKE event INCLUDING ALL)")
    clock = "SELECT extract(epoch FROM clock_timestamp());"
    copies = [f"BEGIN; UPDATE log_head SET position = position; "
              f"COPY bench_copy FROM '{file}' (FORMAT binary); COMMIT;" for file in files]
    output = server.psql("\n".join([clock, *copies, clock])).split("\n")
    server.psql("DROP TABLE bench_copy")
    return chunks * COPY_CHUNK / (float(output[-1]) - float(output[0]))


PGBENCH = """\
\\set order random(1, 1000)
INSERT INTO bench_insert (tenant, activity_id, version, event_id, source, type, schema_version,
    occurred_at, recorded_at, data)
VALUES (1, 'order-' || :order, nextval('bench_version'), gen_random_uuid()::text, '/bench',
    'PizzaDelivery.DriverLocated', 1, now(), now(),
    '{"distanceMeters":1200,"estimatedAt":"2026-05-01T12:20:00Z","note":"NOTE"}');
""".replace("NOTE", "x" * 60)


def _make_table(server):
    """A table with the log's columns and indexes, numbered by sequences instead of a head row."""
    server.psql("""
        DROP TABLE IF EXISTS bench_insert;
        DROP SEQUENCE IF EXISTS bench_version;
        CREATE TABLE bench_insert (LIKE event INCLUDING ALL);
        ALTER TABLE bench_insert ALTER position ADD GENERATED ALWAYS AS IDENTITY;
        CREATE SEQUENCE bench_version;""")


def _drop_table(server):
    server.psql("DROP TABLE bench_insert; DROP SEQUENCE bench_version")


def _pgbench(server, clients, seconds):
    """One INSERT a transaction; returns transactions per second and their p50 in ms."""
    _make_table(server)
    script = pathlib.Path(server.directory) / "insert.pgbench"
    script.write_text(PGBENCH, encoding="utf-8")
    for old in pathlib.Path(server.scratch).glob("pgbench_log*"):
        old.unlink()
    # A log of every transaction costs something, so only the latency of one client has it.
    log = ["-l", f"--log-prefix={server.scratch}/pgbench_log"] if clients == 1 else []
    output = subprocess.run(
        server.as_owner([
            "pgbench", "-n", "-M", "prepared", "-f", str(script), "-c", str(clients),
            "-j", str(min(2, clients)), "-T", str(seconds), *log, server.database_url]),
        check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout
    _drop_table(server)
    rate = float(re.search(r"tps = ([\d.]+) \(without", output).group(1))
    micros = [int(line.split()[2]) for path in pathlib.Path(server.scratch).glob("pgbench_log*")
              for line in path.read_text().splitlines()]
    return rate, statistics.median(micros) / 1000 if micros else None


def _batches(server, rounds, seconds):
    posts, copies = [], []
    for _ in range(rounds):
        posts.append(post(server, 4, 100, seconds))
        copies.append(_copy(server))
    return report.figure(
        "W1", "POST of 100 events, 4 connections", "events/s", [post[0] for post in posts],
        "binary COPY, 1,000 a transaction", copies, goal=0.9,
        cpu_micros=[post[2] for post in posts])


def _singles(server, rounds, seconds):
    posts, inserts = [], []
    clients = max(CLIENTS, key=lambda clients: _pgbench(server, clients, TRIAL_SECONDS)[0])
    for _ in range(rounds):
        posts.append(post(server, 64, 1, seconds))
        inserts.append(_pgbench(server, clients, seconds)[0])
    return report.figure(
        "W2", "POST of one event, 64 connections", "events/s", [post[0] for post in posts],
        "pgbench, one INSERT a transaction, best of 1 to 64 clients", inserts, goal=1.5,
        cpu_micros=[post[2] for post in posts])


def _service(server, workers, seconds):
    """Posts to the FastAPI service what is posted to Islet; returns the same as `post`."""
    _make_table(server)
    with Peer(server, workers) as peer:
        result = post(peer, 64, 1, seconds)
    _drop_table(server)
    return result


def _against_service(server, rounds, seconds):
    posts, others = [], []
    workers = max({1, os.cpu_count() or 1}, key=lambda workers: _service(server, workers, TRIAL_SECONDS))
    for _ in range(rounds):
        posts.append(post(server, 64, 1, seconds))
        others.append(_service(server, workers, seconds))
    return report.figure(
        "W2b", "POST of one event, 64 connections", "events/s", [one[0] for one in posts],
        "FastAPI + asyncpg, one INSERT a POST, best of 1 worker and one a core",
        [one[0] for one in others], goal=10, cpu_micros=[one[2] for one in posts],
        against_cpu_micros=[one[2] for one in others])


def _latency(server, rounds, seconds):
    posts, inserts = [], []
    for _ in range(rounds):
        posts.append(post(server, 1, 1, seconds))
        inserts.append(_pgbench(server, 1, seconds)[1])
    return report.figure(
        "W3", "POST of one event, one connection, p50", "ms", [post[1] for post in posts],
        "pgbench, one client, p50", inserts, goal=1.5, at_most=True,
        cpu_micros=[post[2] for post in posts])


MEASUREMENTS = {"W1": _batches, "W2": _singles, "W2b": _against_service, "W3": _latency}
