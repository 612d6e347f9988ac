"""Everything of a run: the cluster, two Islet nodes on it, a simulated Apple, and who uses them."""

import contextlib
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

from children import send
from cluster import HERE, NotHealthy, free_ports
from standstill import Notes

TENANT = "failover"
# One phone each.
ORDERS = 40
EVENTS_PER_SECOND = 100
# As if time and budgets did not matter: every change is sent at once.
POLICY = {"thresholds": {
    "budgetTokensCount": 1000, "budgetRefillSeconds": 0.01, "frequentTokensCount": 1000,
    "frequentRefillSeconds": 0.01, "quietTokensCount": 1000, "quietRefillSeconds": 0.01,
    "coalesceSeconds": 0, "mergeSeconds": 0}}
# Apple is not next door: what stands still in the middle of sending has something under way.
APPLE = {"delay": {"p50": 0.1, "p99": 0.5}}
START_SECONDS_MAX = 60
# A supervisor starts a server again that was killed.
RESTART_SECONDS = 2
FLOWS = ("ack", "fold", "push", "row")


def make_clock_library(directory):
    """Builds what gives a process a clock that can be set; Swift's toolchain brings clang."""
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        raise SystemExit("neither clang nor cc is there, which clocks are built with")
    library = directory / "clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(HERE / "clock.c")],
                   check=True)
    return str(library)


class Stage:
    """What faults are done to, and what notes are taken of."""

    def __init__(self, children, cluster, directory, islet, seed, own_clocks=False):
        """- own_clocks: nodes have clocks that can be set."""
        self.children, self.cluster, self.islet = children, cluster, islet
        self.directory, self.output, self.seed = directory, children.output, seed
        self.servers = {}
        self.clock_library = make_clock_library(directory) if own_clocks else None
        self.notes = None

    def start(self):
        self._make_database()
        self._start_simulator()
        self.ports = free_ports(2)
        for port in self.ports:
            self.start_server(port)
        self.wait_until_served()
        self._start_users()

    # Islet's nodes.

    def start_server(self, port):
        self.servers[port] = self.children.start(
            f"islet-{self.ports.index(port) + 1}",
            [self.islet, "serve", "--port", str(port), *self.database, *self.apple],
            env={**self.cluster.environment, **self._clock(port)})

    def _clock(self, port):
        """What a node needs for a clock of its own; time that passes is as everybody's."""
        if self.clock_library is None:
            return {}
        path = self._clock_file(port)
        if not path.exists():
            self.set_clock(port, 0)
        return {"LD_PRELOAD": self.clock_library, "CLOCK_AHEAD_FILE": str(path)}

    def _clock_file(self, port):
        return self.directory / f"clock-{port}"

    def set_clock(self, port, seconds):
        """Sets a node's clock to so many seconds after the machine's."""
        # Never shorter than the number, or the node could not read it.
        with open(self._clock_file(port), "r+b" if self._clock_file(port).exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))

    def run_islet(self, *arguments, check=True):
        done = subprocess.run(
            [self.islet, *arguments, "--database-url", self.cluster.url],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=600, env=self.cluster.environment)
        if check and done.returncode != 0:
            raise NotHealthy(f"islet {' '.join(arguments)}: {done.stderr.strip()}")
        return done

    def crashed(self):
        """Servers that ended although nobody told them to."""
        return [f"islet-{self.ports.index(port) + 1} ended with {process.returncode}"
                for port, process in self.servers.items() if process.poll() is not None]

    def freeze_server(self, port):
        send(self.servers[port].pid, signal.SIGSTOP)

    def thaw_server(self, port):
        send(self.servers[port].pid, signal.SIGCONT)

    def freeze_apple(self):
        send(self.simulator.pid, signal.SIGSTOP)

    def thaw_apple(self):
        send(self.simulator.pid, signal.SIGCONT)

    def restart_server(self, port):
        self.children.kill(self.servers[port])
        time.sleep(RESTART_SECONDS)
        self.start_server(port)

    def wait_until_served(self, seconds=START_SECONDS_MAX):
        deadline = time.monotonic() + seconds
        open_ports = list(self.ports)
        while open_ports and time.monotonic() < deadline and not self.crashed():
            with contextlib.suppress(OSError):
                self.ask(open_ports[0], "/healthz")
                open_ports.pop(0)
                continue
            time.sleep(0.2)
        if open_ports:
            raise NotHealthy(f"Islet is not healthy after {seconds} s: {self.crashed()}")

    def ask(self, port, path, body=None, key=None, method=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json",
                     **({"Authorization": f"Bearer {key}"} if key else {})})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")

    # Who uses them.

    def stop_load(self):
        """Lets each order have its last event acknowledged; returns whether all were in time."""
        send(self.load.pid, signal.SIGTERM)
        return self.wait_for(lambda: "over" in self.notes.last, 60)

    def wait_for(self, is_true, seconds):
        """Takes notes until something is true, or time is over."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.children.reap()
            self.notes.read()
            if is_true():
                return True
            time.sleep(0.1)
        return False

    def wait_until_flowing(self, since, seconds, flows=FLOWS):
        """Whether all of it has happened again after a moment, in time."""
        return self.wait_for(
            lambda: all(self.notes.last.get(flow, 0) > since for flow in flows), seconds)

    def _make_database(self):
        cluster = self.cluster
        cluster.psql("CREATE DATABASE islet", "postgres")
        roles = HERE.parent.parent / "Sources" / "PostgresStore" / "Roles" / "roles.sql"
        cluster.psql(roles.read_text(encoding="utf-8"))
        for user in ("islet_service", "islet_visitor"):
            cluster.psql(f"ALTER ROLE {user} PASSWORD '{cluster.passwords[user]}'")
        cluster.psql("CREATE SCHEMA plain AUTHORIZATION islet_service; "
                     "SET ROLE islet_service; CREATE TABLE plain.row (n int8 PRIMARY KEY)")
        self.database = ["--database-url", cluster.url, "--database-visitor", "islet_visitor"]
        self.run_islet("migrate")

    def _start_simulator(self):
        self.control = free_ports(1)[0]
        self.simulator = self.children.start("simulator", [
            self.islet, "simulate", "--apns-port", "0", "--management-port", "0",
            "--control-port", str(self.control), "--credentials-dir", str(self.directory)])
        deadline = time.monotonic() + START_SECONDS_MAX
        who = None
        while who is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                who = self.ask(self.control, "/credentials")
            time.sleep(0.1)
        if who is None:
            raise NotHealthy("the simulator did not start")
        self.ask(self.control, "/faults", APPLE)
        self.bundle = who["bundleID"]
        self.apple = [
            "--apns-url", f"https://127.0.0.1:{who['apnsPort']}",
            "--apns-key-file", str(self.directory / "AuthKey.p8"), "--apns-key-id", who["keyID"],
            "--apns-team-id", who["teamID"],
            "--apns-authority-file", str(self.directory / "authority.pem")]

    def _start_users(self):
        key = self.run_islet("keys", "create", "--tenant", TENANT, "--scope", "admin")
        key = key.stdout.strip()
        self.ask(self.ports[0], "/v1/policies/PizzaDelivery", POLICY, key, "PUT")
        phones = {f"order-{n}": self._add_phone(f"order-{n}", key) for n in range(ORDERS)}
        paths = {name: self.output / f"{name}.notes" for name in ("load", "writer")}
        with contextlib.ExitStack() as files:
            outputs = {name: files.enter_context(open(path, "w", encoding="utf-8"))
                       for name, path in paths.items()}
            self.load = self.children.start(
                "load", [sys.executable, str(HERE / "load.py")], stdin=subprocess.PIPE,
                stdout=outputs["load"])
            self.children.start(
                "writer", [sys.executable, str(HERE / "writer.py"), self.cluster.url],
                env=self.cluster.environment, stdout=outputs["writer"])
        self.load.stdin.write(json.dumps({
            "ports": self.ports, "key": key, "control": self.control, "orders": phones,
            "eventsPerSecond": EVENTS_PER_SECOND, "seed": self.seed}))
        self.load.stdin.close()
        self.notes = Notes(paths["load"], paths["writer"])

    def _add_phone(self, order, key):
        """Places an order and has a phone follow it; returns the phone's id."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7_200))
        placed = {"orderNumber": order, "numberOfPizzas": 2, "totalAmount": "€24.00",
                  "promisedAt": soon}
        for number, (kind, data) in enumerate([("OrderPlaced", placed), ("OrderPickedUp", {})]):
            self.ask(self.ports[0], "/v1/events", {
                "specversion": "1.0", "id": f"{order}-begin-{number}", "source": "/begin",
                "type": f"PizzaDelivery.{kind}", "subject": order, "time": now, "data": data}, key)
        phone = self.ask(self.control, "/phones", {
            "name": order, "kind": "PizzaDelivery", "activity": order, "frequentUpdates": True})
        self.ask(self.ports[0], f"/v1/activities/{order}/registrations", {
            "pushToken": phone["pushToken"], "environment": "sandbox", "bundleId": self.bundle,
            "frequentUpdates": True}, key)
        return phone["id"]
