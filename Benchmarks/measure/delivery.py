"""How fast a change gets to many phones, and what that costs everybody else."""

import contextlib
import json
import pathlib
import statistics
import subprocess
import threading
import time
import urllib.request
import uuid
from datetime import datetime, timezone

from . import pushes, report
from .plain import Plain
from .server import Server

PHONES = 1_000_000
BUNDLE = "dev.islet.bench"
ARRIVALS_A_SECOND = 1_000
ARRIVALS_SECONDS = 5
ARRIVALS_CONNECTIONS = 8
# Between two events of an activity, in `islet-bench arrivals`.
ARRIVALS_SPACING_SECONDS = 3
# A fifth more each time.
SATURATION_FIRST, SATURATION_STEP, SATURATION_LAST = 1_000, 1.2, 20_000
SATURATION_ROUNDS_MAX = 2
SATURATION_CONNECTIONS, SATURATION_CLIENTS, SATURATION_MILLIS_MAX = 64, 16, 1_000
ORDERS = 400
ORDERS_A_SECOND = 40
DEADLINE_SECONDS = 600


@contextlib.contextmanager
def _installation(root, output, *arguments):
    """A gateway that accepts every push, and a server that sends to it."""
    bench = str(root / ".build" / "release" / "islet-bench")
    with subprocess.Popen([bench, *(arguments or ["gateway"])], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        try:
            gateway = json.loads(process.stdout.readline())
            authority, key = output / "gateway.pem", output / "gateway.p8"
            authority.write_text(gateway["authorityPEM"])
            subprocess.run(
                ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
                 "-out", str(key)], check=True, stderr=subprocess.DEVNULL)
            options = [
                "--apns-url", f"https://127.0.0.1:{gateway['port']}", "--apns-key-file", str(key),
                "--apns-key-id", "BENCHKEY01", "--apns-team-id", "BENCHTEAM1",
                "--apns-authority-file", str(authority)]
            with Server(root, output, roles=("api", "projector", "sender"), tenant="sending",
                        options=options) as server:
                yield process, gateway, server
        finally:
            # The gateway serves until its input ends.
            process.stdin.close()


def _post(server, type, activity, data):
    event = {
        "specversion": "1.0", "id": str(uuid.uuid4()), "source": "/bench", "type": type,
        "subject": activity, "time": datetime.now(timezone.utc).isoformat(), "data": data}
    request = urllib.request.Request(
        f"{server.url}/v1/events", data=json.dumps(event).encode(), method="POST",
        headers={"Authorization": f"Bearer {server.key}",
                 "Content-Type": "application/cloudevents+json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 201, answer.status


def _register(server):
    """A million phones of the match, and one of each order."""
    server.psql(f"""
        INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
        SELECT t.id, CASE WHEN n < {PHONES} THEN 'match' ELSE 'order-' || n - {PHONES} END,
            lpad(to_hex(n), 160, '0'), 'sandbox', '{BUNDLE}'
        FROM tenant t, generate_series(0, {PHONES + ORDERS} - 1) AS n
        WHERE t.name = '{server.tenant}'""")


def _settled(server, condition, count=1):
    """Milliseconds from being recorded to being sent, for each decision that meets a condition, in their order.

    - `count`: of so many decisions, before which not all have been made."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        rows = server.psql(f"""
            SELECT extract(epoch FROM settled_at - decided_at) * 1000, failed FROM decision
            WHERE {condition} ORDER BY position""").splitlines()
        values = [row.split("|") for row in rows]
        if len(values) >= count and all(milliseconds for milliseconds, _ in values):
            if any(int(failed) for _, failed in values):
                raise SystemExit("the gateway refused pushes")
            return [float(milliseconds) for milliseconds, _ in values]
        # Each look is a psql, which takes a core for a while.
        time.sleep(1)
    raise SystemExit("not everything was sent in time")


def _rows_written(server):
    """Of all tables, once the statistics have come in."""
    time.sleep(1.5)
    return int(server.psql(
        "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables"))


class _Memory(threading.Thread):
    """The largest resident size of a process while it is watched."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self._path = pathlib.Path(f"/proc/{pid}/status")
        self._ended = threading.Event()
        self.before = self.peak = self._now()

    def run(self):
        while not self._ended.wait(0.05):
            self.peak = max(self.peak, self._now())

    def grown_megabytes(self):
        self._ended.set()
        self.join()
        return (self.peak - self.before) / 1024

    def _now(self):
        line = next(line for line in self._path.read_text().splitlines() if "VmRSS" in line)
        return int(line.split()[1])


def _orders(server, name):
    """A pizza's alert, many times: how long each took to be sent, in ms."""
    before = int(server.psql(
        f"SELECT h.position FROM log_head h JOIN tenant t ON t.id = h.tenant WHERE t.name = '{server.tenant}'"))
    for number in range(ORDERS):
        _post(server, "PizzaDelivery.DriverAssigned", f"order-{number}", {"driverName": name})
        time.sleep(1 / ORDERS_A_SECOND)
    return _settled(server, f"activity_id LIKE 'order-%' AND position > {before}", ORDERS)


TOLD = "activity_id = 'match' AND verdict = 'alert'"


def _fan_out_rate(server, count):
    """Pushes a second of the newest of so many alerts of the match."""
    return PHONES / _settled(server, TOLD, count)[-1] * 1000


def _delivery(root, output, rounds):
    rates, bare = [], []
    bench = str(root / ".build" / "release" / "islet-bench")
    with _installation(root, output) as (_, gateway, server):
        _register(server)
        for number in range(ORDERS):
            _post(server, "PizzaDelivery.OrderPlaced", f"order-{number}", {
                "orderNumber": str(number), "numberOfPizzas": 1, "totalAmount": "€9.00",
                "promisedAt": "2099-01-01T00:00:00Z"})
        now = datetime.now(timezone.utc).isoformat()
        _post(server, "Match.MatchScheduled", "match", {
            "competition": "Cup", "homeTeam": "Argentina", "awayTeam": "France", "kickoff": now})
        _post(server, "Match.PeriodStarted", "match", {"period": "firstHalf"})
        server.psql("VACUUM ANALYZE registration")
        _settled(server, "true", ORDERS + 2)
        # Once, whatever the number of rounds: a goal is a million pushes, and takes half a minute.
        told = int(server.psql(f"SELECT count(*) FROM decision WHERE {TOLD}"))
        alone = _orders(server, "Alone")
        written, cpu_before = _rows_written(server), server.cpu_seconds()
        memory = _Memory(server.process.pid)
        memory.start()
        _post(server, "Match.GoalScored", "match", {"goalID": "alone", "team": "home"})
        rates.append(_fan_out_rate(server, told + 1))
        grown = memory.grown_megabytes()
        cpu = (server.cpu_seconds() - cpu_before) / PHONES * 1e6
        writes = (_rows_written(server) - written) / PHONES * 1000
        bare.append(pushes.client(bench, gateway)[0])
        _post(server, "Match.GoalScored", "match", {"goalID": "busy", "team": "away"})
        beside = _orders(server, "Beside")
        rates.append(_fan_out_rate(server, told + 2))
        bare.append(pushes.client(bench, gateway)[0])
    print(f"P3: {PHONES / statistics.median(rates):.1f} s to the last of {PHONES:,} phones",
          flush=True)
    return [
        report.figure("P2", f"one goal to {PHONES:,} registrations", "pushes/s", rates,
                      "client alone (P1)", bare, goal=0.8, cpu_micros=[cpu]),
        report.figure("P3a", "rows written for a thousand phones", "rows", [writes], "one", [1],
                      goal=5, at_most=True),
        report.figure("P3b", "growth of resident memory meanwhile", "MB", [grown],
                      "64 MB", [64], goal=1, at_most=True),
        report.figure("P5", "a pizza's alert, recorded to sent, beside that, p99", "ms",
                      [report.p99(beside)], "alone", [report.p99(alone)], goal=2, at_most=True)]


class _Arrivals:
    """A whole chain with one phone for each activity, and what posts to it and receives its pushes."""

    def __init__(self, process, server):
        self.process = process
        self.server = server

    def run(self, label, rate, seconds, connections):
        """What `islet-bench arrivals` found, and the CPU time of Islet and of its Postgres an event in µs."""
        self._register(label, rate * ARRIVALS_SPACING_SECONDS)
        before = self.server.cpu_seconds(), self.server.database_cpu_seconds()
        self.process.stdin.write(
            f"{self.server.port} {self.server.key} {label} {rate} {seconds} {connections}\n")
        self.process.stdin.flush()
        found = json.loads(self.process.stdout.readline())
        islet = self.server.cpu_seconds() - before[0]
        postgres = self.server.database_cpu_seconds() - before[1]
        return found, islet / found["events"] * 1e6, postgres / found["events"] * 1e6

    def _register(self, label, count):
        self.server.psql(f"""
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
            SELECT t.id, '{label}-' || n, md5('{label}') || lpad(to_hex(n), 128, '0'), 'sandbox',
                '{BUNDLE}'
            FROM tenant t, generate_series(0, {count} - 1) AS n
            WHERE t.name = '{self.server.tenant}';
            ANALYZE registration""")


@contextlib.contextmanager
def _arriving(root, output):
    with _installation(root, output, "arrivals") as (process, _, server):
        arrivals = _Arrivals(process, server)
        server.age()
        arrivals.run("warm", ARRIVALS_A_SECOND, ARRIVALS_SECONDS, ARRIVALS_CONNECTIONS)
        with Plain(server) as peer:
            yield arrivals, peer


def _arrivals(root, output, rounds):
    arrived, bound, cpu, plain_cpu = [], [], [], []
    with _arriving(root, output) as (arrivals, peer):
        for number in range(rounds):
            found, islet, postgres = arrivals.run(
                f"arrival{number}", ARRIVALS_A_SECOND, ARRIVALS_SECONDS, ARRIVALS_CONNECTIONS)
            cpu.append(islet + postgres)
            waits, acks, late, pushes_alone = (
                found[name + "Millis"] for name in ("arrived", "acknowledged", "late", "pushed"))
            commits, micros = peer.run(ARRIVALS_A_SECOND, ARRIVALS_SECONDS, settles=True)
            plain_cpu.append(micros)
            arrived.append(report.p99(waits))
            bound.append(report.p99(commits) + report.p99(pushes_alone))
            print(f"P4: acknowledged p50 {statistics.median(acks):.2f} p99 {report.p99(acks):.2f}, "
                  f"arrived p50 {statistics.median(waits):.2f} p99 {arrived[-1]:.2f}, "
                  f"pgbench p50 {statistics.median(commits):.2f} p99 {report.p99(commits):.2f}, "
                  f"client alone p50 {statistics.median(pushes_alone):.2f} p99 {report.p99(pushes_alone):.2f}, "
                  f"sent late p99 {report.p99(late):.2f} ms; CPU an event: Islet {islet:.0f}, "
                  f"its Postgres {postgres:.0f}, pgbench and Postgres {micros:.0f} µs", flush=True)
    return [
        report.figure(
            "P4", f"sending to push received at {ARRIVALS_A_SECOND:,} events/s, p99", "ms", arrived,
            "pgbench, three commits at that rate, and the push alone, p99", bound, goal=1.5,
            at_most=True),
        report.figure(
            "E2", f"CPU of Islet and Postgres an event, pushed, {ARRIVALS_A_SECOND:,} events/s", "µs", cpu,
            "pgbench and Postgres, the same rows", plain_cpu, goal=2, at_most=True)]


def _saturation(root, output, rounds):
    """How many events a second the whole chain takes, a push each, before they come late."""
    most, plain = [], []
    first = SATURATION_FIRST
    with _arriving(root, output) as (arrivals, peer):
        for number in range(min(rounds, SATURATION_ROUNDS_MAX)):
            most.append(_most(arrivals, f"full{number}", first))
            # The next need not climb up from the bottom.
            first = max(SATURATION_FIRST, int(most[-1] / SATURATION_STEP))
            done, _ = peer.run(None, ARRIVALS_SECONDS, settles=True, clients=SATURATION_CLIENTS)
            plain.append(len(done) / ARRIVALS_SECONDS)
    return report.figure(
        "E1", f"whole chain, pushed, 64 connections, p99 at most {SATURATION_MILLIS_MAX / 1000:g} s", "events/s",
        most, f"pgbench, the same rows and commits, {SATURATION_CLIENTS} clients", plain, goal=0.6)


def _most(arrivals, label, first):
    """The highest rate at which pushes are in time: upwards from one where they are, or downwards until they are."""
    rate, found = first, 0
    while 1 <= rate < SATURATION_LAST:
        waits = arrivals.run(f"{label}-{rate}", rate, ARRIVALS_SECONDS, SATURATION_CONNECTIONS)[0]["arrivedMillis"]
        print(f"E1: {rate:,} events/s: p99 {report.p99(waits):.0f} ms", flush=True)
        if report.p99(waits) <= SATURATION_MILLIS_MAX:
            if rate < first:
                return rate
            found, rate = rate, int(rate * SATURATION_STEP)
        elif found:
            return found
        else:
            rate = int(rate / SATURATION_STEP)
    return found


MEASUREMENTS = {"P2": _delivery, "P4": _arrivals, "E1": _saturation}
