"""How fast a log gets out into files and back in."""

import pathlib
import shutil
import subprocess
import time

from . import report
from .filling import fill

EVENTS = 200_000
TENANT = "archived"
COLUMNS = ("tenant, position, activity_id, version, event_id, source, type, schema_version, "
           "occurred_at, recorded_at, data")


def _timed(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return EVENTS / (time.monotonic() - start)


def _client_copy(server, statement):
    """By psql, which moves the bytes through itself as the export does."""
    return _timed(server.as_owner(
        ["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-d", server.database_url, "-c", statement]))


def _prepare(server):
    if server.psql(f"SELECT count(*) FROM tenant WHERE name = '{TENANT}'") == "0":
        fill(server, TENANT, EVENTS)
    directory = pathlib.Path(server.scratch) / "export"
    shutil.rmtree(directory, ignore_errors=True)
    return directory, int(server.psql(f"SELECT id FROM tenant WHERE name = '{TENANT}'"))


def _export(server, directory):
    return _timed([server.islet, "events", "export", "--tenant", TENANT, "--to", str(directory),
                   "--data-dir", server.data])


def _copy_to(server, tenant):
    return _client_copy(
        server, f"\\copy (SELECT {COLUMNS} FROM event WHERE tenant = {tenant} ORDER BY position) "
                f"TO '{server.scratch}/copy.txt'")


def _exports(server, rounds, seconds):
    ours, theirs = [], []
    for _ in range(rounds):
        directory, tenant = _prepare(server)
        ours.append(_export(server, directory))
        theirs.append(_copy_to(server, tenant))
    return report.figure(
        "A1", f"islet events export, {EVENTS:,} events", "events/s", ours,
        "psql \\copy TO, as text", theirs)


def _imports(server, rounds, seconds):
    directory, tenant = _prepare(server)
    _export(server, directory)
    _copy_to(server, tenant)
    ours, theirs = [], []
    for round in range(rounds):
        ours.append(_timed(
            [server.islet, "events", "import", "--from", str(directory), "--tenant",
             f"imported-{round}", "--data-dir", server.data]))
        server.psql("DROP TABLE IF EXISTS bench_copy; "
                    "CREATE TABLE bench_copy (LIKE event INCLUDING ALL)")
        theirs.append(_client_copy(
            server, f"\\copy bench_copy ({COLUMNS}) FROM '{server.scratch}/copy.txt'"))
        server.psql("DROP TABLE bench_copy")
    return report.figure(
        "A2", f"islet events import, {EVENTS:,} events", "events/s", ours,
        "psql \\copy FROM, as text, in one transaction", theirs)


MEASUREMENTS = {"A1": _exports, "A2": _imports}
