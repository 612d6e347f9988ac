"""Everything of a run but Prometheus: Postgres, a simulated Apple, two Islet nodes and their users,
and the commands that runbooks expect on the machine."""

import contextlib
import dataclasses
import json
import os
import pathlib
import secrets
import signal
import ssl
import stat
import subprocess
import sys
import threading
import time
import urllib.request

from children import as_user, send
from cluster import NotHealthy, free_ports

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
START_SECONDS_MAX = 60
# As if budgets did not matter: every change is sent at once.
POLICY = {"thresholds": {
    "budgetTokensCount": 1000, "budgetRefillSeconds": 0.01, "frequentTokensCount": 1000,
    "frequentRefillSeconds": 0.01, "quietTokensCount": 1000, "quietRefillSeconds": 0.01,
    "coalesceSeconds": 0, "mergeSeconds": 0}}
# What runs as a service on a real machine is asked of this stage.
STAND_IN = """#!/bin/sh
case "$(basename "$0") $1" in
"systemctl status") echo "$2: a stand-in"; exit 0 ;;
"journalctl "*) tail -q -n 50 {output}/islet-*.log; exit 0 ;;
"timedatectl ") echo "System clock synchronized: no"; exit 0 ;;
esac
wish={directory}/wishes/$$
echo "$(basename "$0") $*" > $wish.new && mv $wish.new $wish
for _ in $(seq 600); do [ -e $wish ] || exit 0; sleep 0.1; done
echo "nobody did: $*"; exit 1
"""


@dataclasses.dataclass
class Node:
    name: str
    roles: tuple
    port: int
    metrics: int
    process: subprocess.Popen = None


class Stage:
    def __init__(self, children, directory, islet):
        self.children, self.directory, self.islet = children, directory, islet
        self.output = children.output
        self.number = 0
        self.target = None
        ports = iter(free_ports(9))
        self.postgres_port, self.old_port, self.way_port, self.receiver_port, self.control = (
            next(ports) for _ in range(5))
        self.nodes = [Node("islet-1", ("api", "projector", "sender"), next(ports), next(ports)),
                      Node("islet-2", ("api", "sender"), next(ports), next(ports))]
        self.certificate, self.key_file = directory / "certificate.pem", directory / "tls.key"
        self.url = f"postgresql://islet_service@127.0.0.1:{self.postgres_port}/islet"
        self._make_commands()

    def start(self):
        self.cluster = self.directory / "postgres"
        self._as_postgres("initdb", "--pgdata", self.cluster, "--auth=trust", "--username=postgres")
        (self.cluster / "postgresql.auto.conf").write_text(
            f"port = {self.postgres_port}\nlisten_addresses = '127.0.0.1'\nfsync = off\n"
            f"unix_socket_directories = '{self.directory / 'socket'}'\nmax_connections = 200\n")
        socket = self.directory / "socket"
        socket.mkdir()
        socket.chmod(0o777)
        self.start_postgres()
        self._make_database("islet")
        self.run_islet("migrate")
        self._start_apple()
        self.start_receiver()
        self.make_certificate(days=90)
        for node in self.nodes:
            self.start_node(node)
        self._start_users()

    # Postgres.

    def _as_postgres(self, program, *arguments, before=()):
        path = next(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
        done = subprocess.run(
            as_user([*before, str(path), *map(str, arguments)]), stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, cwd="/")
        if done.returncode != 0:
            raise NotHealthy(f"{program}: {done.stderr}")

    def start_postgres(self, before=()):
        """- Parameter before: a program that starts it."""
        self._as_postgres("pg_ctl", "start", "--wait", "--pgdata", self.cluster, "--log",
                          self.directory / "socket" / "postgres.log", before=before)

    def _make_database(self, name):
        self.psql(f"CREATE DATABASE {name}", "postgres")
        roles = ROOT / "Sources" / "PostgresStore" / "Roles" / "roles.sql"
        self.psql(roles.read_text(encoding="utf-8"), name)

    def start_old_primary(self):
        """A copy that takes writes as well, behind the primary in the URL of what starts from now on."""
        self.old_cluster = self.directory / "old"
        self._as_postgres(
            "pg_basebackup", "--dbname", f"host=127.0.0.1 port={self.postgres_port} user=postgres",
            "--pgdata", self.old_cluster, "--checkpoint=fast")
        self._as_postgres("pg_ctl", "start", "--wait", "--pgdata", self.old_cluster, "--log",
                          self.directory / "socket" / "old.log", "--options",
                          f"-c port={self.old_port}")
        self.environment["ISLET_DATABASE_URL"] = self.url.replace(
            f":{self.postgres_port}/", f":{self.postgres_port},127.0.0.1:{self.old_port}/")

    def stop_old_primary(self):
        self._as_postgres("pg_ctl", "stop", "--mode=immediate", "--pgdata", self.old_cluster)

    def forget_old_primary(self):
        self.environment["ISLET_DATABASE_URL"] = self.url

    def stop_postgres(self):
        self._as_postgres("pg_ctl", "stop", "--mode=immediate", "--pgdata", self.cluster)

    def psql(self, sql, database="islet"):
        done = subprocess.run(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", database], env=self.environment, input=sql,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        if done.returncode != 0:
            raise NotHealthy(f"psql: {done.stderr}")
        return done.stdout.strip()

    def lock(self, sql):
        """A session that somebody has left open, with something locked."""
        process = self.children.start(
            "psql", ["psql", "-qAtX", "islet"], env=self.environment, stdin=subprocess.PIPE)
        process.stdin.write(sql + ";\n")
        process.stdin.flush()

    # Islet.

    def run_islet(self, *arguments):
        done = subprocess.run(
            [self.islet, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=120, env=self.environment)
        if done.returncode != 0:
            raise NotHealthy(f"islet {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def cell_file(self, name):
        """Has the URL of a cell's database."""
        return str(self.directory / f"{name}.url")

    def make_other_cell(self):
        """Another database that tenants can move to, and names for both."""
        self._make_database("eu2")
        for number, (cell, database) in enumerate([("eu1", "islet"), ("eu2", "eu2")], start=1):
            file = pathlib.Path(self.cell_file(cell))
            file.write_text(f"{self.url.removesuffix('/islet')}/{database}\n", encoding="utf-8")
            file.chmod(0o600)
            self.run_islet("migrate", "--database-url-file", str(file))
            self.run_islet("cells", "set", cell, "--here", "--number", str(number),
                           "--database-url-file", str(file))

    def start_node(self, node, before=()):
        """- Parameter before: a program that starts it."""
        node.process = self.children.start(node.name, [
            *before, self.islet, "serve", "--node-name", node.name, "--port", str(node.port),
            "--metrics-port", str(node.metrics), "--lag-seconds-max", "5",
            "--database-connections-max", "4", "--visitor-connections-max", "4",
            "--webhook-allow-private",
            "--tls-certificate", str(self.certificate), "--tls-key", str(self.key_file),
            *(word for role in node.roles for word in ("--role", role)), *self.apple],
            env=self.environment)
        self.wait(lambda: self.ask(node.port, "/readyz"), f"{node.name} is not ready")

    def kill_node(self, node):
        self.children.kill(node.process)

    def restart_node(self, node, before=()):
        self.kill_node(node)
        self.start_node(node, before)

    def make_certificate(self, days):
        """Nodes read the new files by themselves."""
        files = [(path, path.with_suffix(".new")) for path in (self.key_file, self.certificate)]
        subprocess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", str(days), "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(files[0][1]),
            "-out", str(files[1][1])], check=True, stderr=subprocess.DEVNULL)
        for path, new in files:
            new.replace(path)

    def ask(self, port, path, body=None, key=None, method=None):
        is_node = any(port == node.port for node in self.nodes)
        # Nodes may show either certificate until they have read the new one.
        context = ssl._create_unverified_context() if is_node else None
        request = urllib.request.Request(
            f"{'https' if is_node else 'http'}://127.0.0.1:{port}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json",
                     **({"Authorization": f"Bearer {key}"} if key else {})})
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:
            text = answer.read()
            with contextlib.suppress(ValueError):
                return json.loads(text or b"null")
            return text

    def wait(self, is_there, complaint, seconds=START_SECONDS_MAX):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                is_there()
                return
            time.sleep(0.2)
        raise NotHealthy(f"{complaint} after {seconds} s")

    def metric(self, node, name):
        """The sum of a metric's values on a node."""
        text = urllib.request.urlopen(
            f"http://127.0.0.1:{node.metrics}/metrics", timeout=10).read().decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.startswith((name + " ", name + "{")))

    # Apple and the merchant.

    def _start_apple(self):
        self.children.start("simulator", [
            self.islet, "simulate", "--apns-port", "0", "--management-port", "0",
            "--control-port", str(self.control), "--credentials-dir", str(self.directory)])
        self.wait(lambda: self.ask(self.control, "/credentials"), "the simulator did not start")
        who = self.ask(self.control, "/credentials")
        self.apple_port, self.bundle = who["apnsPort"], who["bundleID"]
        self.start_way()
        master = self.directory / "master.key"
        master.write_text(secrets.token_hex(32) + "\n", encoding="utf-8")
        master.chmod(0o600)
        self.apple = [
            "--apns-url", f"https://127.0.0.1:{self.way_port}",
            "--apns-channels-url", f"https://127.0.0.1:{who['managementPort']}",
            "--master-key-file", str(master),
            "--apns-key-file", str(self.directory / "AuthKey.p8"), "--apns-key-id", who["keyID"],
            "--apns-team-id", who["teamID"],
            "--apns-authority-file", str(self.directory / "authority.pem")]

    def start_way(self):
        self.way = self.children.start(
            "way", [sys.executable, str(HERE / "way.py"), str(self.way_port), str(self.apple_port)])

    def start_receiver(self):
        self.receiver = self.children.start(
            "receiver", [sys.executable, str(HERE / "receiver.py"), str(self.receiver_port)])

    def fault(self, fault):
        self.ask(self.control, "/faults", fault)

    def no_faults(self):
        self.ask(self.control, "/faults", method="DELETE")

    def _start_users(self):
        self.key = self.run_islet("keys", "create", "--tenant", "shop", "--scope", "admin")
        port = self.nodes[0].port
        self.ask(port, "/v1/policies/PizzaDelivery", POLICY, self.key, "PUT")
        self.run_islet("webhooks", "add", "--tenant", "shop", "--webhook-allow-private",
                       "--url", f"http://127.0.0.1:{self.receiver_port}/",
                       "--master-key-file", str(self.directory / "master.key"))
        for order in ("order-1", "idle"):
            self.add_order(order)
        self.register("order-1", self.add_phone("Ann", "order-1"))

    def add_phone(self, name, order):
        """- Returns: the push token of its card."""
        return self.ask(self.control, "/phones", {
            "name": name, "kind": "PizzaDelivery", "activity": order,
            "frequentUpdates": True})["pushToken"]

    def register(self, order, token):
        self.ask(self.nodes[0].port, f"/v1/activities/{order}/registrations", {
            "pushToken": token, "environment": "sandbox", "bundleId": self.bundle,
            "frequentUpdates": True}, self.key)

    def add_order(self, order):
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7_200))
        self.report(order, "OrderPlaced", {
            "orderNumber": order, "numberOfPizzas": 2, "totalAmount": "€24.00",
            "promisedAt": soon})
        self.report(order, "OrderPickedUp", {})

    def report(self, order, kind, data):
        self.number += 1
        self.ask(self.nodes[self.number % 2 if self.number > 4 else 0].port, "/v1/events", {
            "specversion": "1.0", "id": f"{order}-{self.number}", "source": "/stage",
            "type": f"PizzaDelivery.{kind}", "subject": order, "data": data,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}, self.key)

    def work(self):
        """Something changes, as far as Islet takes it."""
        self.children.reap()
        with contextlib.suppress(OSError):
            self.report("order-1", "DriverLocated", {"distanceMeters": 100 * (self.number % 5_000)})

    def work_for(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.work()
            time.sleep(0.3)

    def settle(self):
        """Until both nodes are ready again."""
        for node in self.nodes:
            if node.process.poll() is not None:
                self.start_node(node)
            self.wait(lambda node=node: self.ask(node.port, "/readyz"),
                      f"{node.name} is not ready again")
        self.work_for(3)

    # What runbooks expect.

    def _make_commands(self):
        programs = self.directory / "bin"
        wishes = self.directory / "wishes"
        programs.mkdir()
        wishes.mkdir()
        for name in ("systemctl", "journalctl", "timedatectl"):
            path = programs / name
            path.write_text(STAND_IN.format(output=self.output, directory=self.directory))
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        (programs / "islet").symlink_to(self.islet)
        self.environment = {
            **{name: value for name, value in os.environ.items()
               if not name.startswith(("ISLET_", "PG", "DATABASE_"))},
            "PATH": f"{programs}:{os.environ['PATH']}", "PGHOST": "127.0.0.1",
            "PGPORT": str(self.postgres_port), "PGUSER": "postgres",
            "ISLET_DATABASE_URL": self.url, "ISLET_DATABASE_VISITOR": "islet_visitor",
            "CERTIFICATE": str(self.certificate),
            "OTHER_CELL": self.cell_file("eu2"),
            "METRICS": f"http://127.0.0.1:{self.nodes[0].metrics}"}
        threading.Thread(target=self._serve_wishes, args=(wishes,), daemon=True).start()

    def _serve_wishes(self, wishes):
        while True:
            for path in wishes.glob("*"):
                if path.suffix == ".new":
                    continue
                with contextlib.suppress(Exception):
                    self._carry_out(path.read_text().split())
                path.unlink()
            time.sleep(0.1)

    def _carry_out(self, words):
        if words[1:] == ["stop", "postgresql"]:
            self.stop_old_primary()
        elif words[-1] == "postgresql" or words[0] == "timedatectl":
            with contextlib.suppress(NotHealthy):
                self.stop_postgres()
            self.start_postgres()
        elif words[-1] == "certbot":
            self.make_certificate(days=90)
        elif words[-1] == "islet-projector":
            self.restart_node(self.nodes[0])
        else:
            # The node that has the fault.
            self.restart_node(self.target)

    def freeze(self, node):
        send(node.process.pid, signal.SIGSTOP)
