"""etcd and three Postgres under Patroni on one machine, with the configuration of deploy/patroni,
and a network between them that can be cut."""

import contextlib
import dataclasses
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from children import as_user, descendants, send

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ("pg1", "pg2", "pg3")
PREFIX = "/service/islet/"
PORTS = range(20_000, 32_000)
SOCKETS = pathlib.Path("/var/run/postgresql")
# Patroni's lock ends after 20 s, and what comes after takes some more.
HEALTHY_SECONDS_MAX = 120
ASK_SECONDS_MAX = 2
# More than the write-ahead log may take, which is kept for a standby that is away.
DISK_MEGABYTES = 3_000
BALLAST_BYTES = 1 << 20


class NotHealthy(Exception):
    pass


@dataclasses.dataclass
class Node:
    """One machine of the cluster. Others reach it by the `outer` ports, which can be cut."""

    name: str
    data: pathlib.Path
    postgres: int
    rest: int
    outer_postgres: int
    outer_rest: int
    etcd: int
    process: subprocess.Popen = None


class Cluster:
    """Use it in a `with` statement, within that of its children."""

    def __init__(self, children, root, directory, synchronous, has_disks=False):
        """- Parameter has_disks: each machine has a small one of its own, which takes root."""
        self.children, self.directory, self.synchronous = children, directory, synchronous
        self.has_disks = has_disks
        self.configuration = root / "deploy" / "patroni" / "patroni.yml"
        ports = iter(free_ports(5 * len(NAMES) + 2))
        self.etcd_port, self.etcd_peer = next(ports), next(ports)
        self.nodes = {
            name: Node(name, directory / f"disk-{name}" / name, *(next(ports) for _ in range(5)))
            for name in NAMES}
        self.passwords = {
            user: secrets.token_hex(12)
            for user in ("postgres", "replicator", "islet_service", "islet_visitor")}
        self.passfile = directory / "pgpass"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Not as Patroni would, which takes long; told so, Postgres gives its shared memory back.
        for node in self.nodes.values():
            if node.process:
                self.children.kill(node.process)
                send(postmaster(node), signal.SIGQUIT)
                self.thaw(node)
            if self.has_disks:
                # What still runs there is ended later.
                subprocess.run(["umount", "--lazy", str(node.data.parent)], check=False)

    def start(self):
        prepare_sockets()
        self._write_passwords()
        self._start_etcd()
        self._start_network()
        self._make_disks()
        for node in self.nodes.values():
            self.start_node(node)
            # One after the other: the first one makes the cluster, and the others copy it.
            self._wait("a primary", lambda: self.leader() is not None)
        if self.synchronous != 2:
            self.control("edit-config", "--force", "-s",
                         f"synchronous_node_count={self.synchronous}")
        self.wait_until_healthy()

    def start_node(self, node):
        env = {
            "PATRONI_NAME": node.name,
            "PATRONI_RESTAPI_LISTEN": f"127.0.0.1:{node.rest}",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{node.outer_rest}",
            "PATRONI_POSTGRESQL_LISTEN": f"127.0.0.1:{node.postgres}",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"127.0.0.1:{node.outer_postgres}",
            "PATRONI_POSTGRESQL_DATA_DIR": str(node.data),
            "PATRONI_POSTGRESQL_PGPASS": f"{node.data}.pgpass",
            "PATRONI_ETCD_HOSTS": f"127.0.0.1:{node.etcd}",
            # Or it would ask etcd for its own address and go past the network that we can cut.
            "PATRONI_ETCD_USE_PROXIES": "true",
            "PATRONI_SUPERUSER_PASSWORD": self.passwords["postgres"],
            "PATRONI_REPLICATION_PASSWORD": self.passwords["replicator"],
        }
        node.process = self.children.start(
            f"patroni-{node.name}", ["patroni", str(self.configuration)], as_postgres=True,
            env=env)

    def control(self, *arguments):
        """Runs patronictl."""
        command = ["patronictl", "-c", str(self.configuration), *arguments]
        with open(self.children.output / "patronictl.log", "a", encoding="utf-8") as log:
            done = subprocess.run(
                as_user(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                env={**os.environ, "LC_ALL": "C.UTF-8",
                     "PATRONI_ETCD_HOSTS": f"127.0.0.1:{self.etcd_port}"})
        if done.returncode != 0:
            raise NotHealthy(f"patronictl {arguments[0]} failed")

    # What etcd knows of the cluster.

    def state(self):
        """Values of the cluster's keys in etcd, by what follows the common prefix."""
        url = f"http://127.0.0.1:{self.etcd_port}/v2/keys{PREFIX}?recursive=true&quorum=true"
        try:
            with urllib.request.urlopen(url, timeout=ASK_SECONDS_MAX) as answer:
                nodes = [json.load(answer)["node"]]
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            nodes = []
        found = {}
        while nodes:
            node = nodes.pop()
            nodes += node.get("nodes", [])
            found[node["key"].removeprefix(PREFIX)] = node.get("value", "")
        return found

    def leader(self):
        """The node that has the lock and is a primary, or None."""
        state = self.state()
        name = state.get("leader")
        member = json.loads(state.get(f"members/{name}", "{}"))
        is_primary = member.get("role") in ("master", "primary")
        return self.nodes[name] if is_primary and member.get("state") == "running" else None

    def standbys(self):
        """The synchronous ones, as Patroni has them."""
        sync = json.loads(self.state().get("sync") or "{}")
        return [self.nodes[name] for name in (sync.get("sync_standby") or "").split(",") if name]

    def ailment(self):
        """What keeps the cluster from being whole; None when it is."""
        state = self.state()
        leader = self.leader()
        if leader is None:
            return "no primary"
        members = {name: json.loads(state.get(f"members/{name}", "{}")) for name in NAMES}
        lines = {member.get("timeline") for member in members.values()}
        states = {name: member.get("state") for name, member in members.items()}
        if set(states.values()) != {"running"} or len(lines) > 1:
            return f"members are {states}, on the timelines {lines}"
        sync = json.loads(state.get("sync") or "{}")
        if sync.get("leader") != leader.name or len(self.standbys()) != self.synchronous:
            return f"synchronous standbys are {sync}"
        return None

    def wait_until_healthy(self):
        self._wait("a whole cluster", lambda: self.ailment() is None, self.ailment)

    def lead_first(self):
        """Has the node lead that stands first in the URL: nobody gets past it who waits for it."""
        first, leader = self.nodes[NAMES[0]], self.leader()
        if leader is not first:
            self.switch_over(leader, first)
            self.wait_until_healthy()

    def switch_over(self, leader, candidate):
        self.control(
            "switchover", "islet", "--leader", leader.name, "--candidate", candidate.name,
            "--force")

    def wait_for_another_leader(self, node, seconds=HEALTHY_SECONDS_MAX):
        def is_replaced():
            leader = self.leader()
            return leader is not None and leader is not node
        self._wait(f"a primary instead of {node.name}", is_replaced, seconds=seconds)

    def _wait(self, what, is_there, ailment=lambda: "", seconds=HEALTHY_SECONDS_MAX):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.children.reap()
            try:
                if is_there():
                    return
            except (OSError, ValueError):
                pass
            time.sleep(0.2)
        raise NotHealthy(f"no {what} after {seconds} s: {ailment()}")

    # Faults.

    def processes(self, node):
        """Ids of Patroni and of all of Postgres on a node, Postgres' first process first."""
        first = postmaster(node)
        ids = [first, *descendants(first)] if first else []
        return ids + ([node.process.pid] if node.process.poll() is None else [])

    def freeze(self, node):
        # Twice, since one that was not stopped yet may have started another.
        for pid in self.processes(node) + self.processes(node):
            send(pid, signal.SIGSTOP)

    def thaw(self, node):
        for pid in self.processes(node):
            send(pid, signal.SIGCONT)

    def kill(self, node):
        """As when the machine dies."""
        ids = self.processes(node)
        for pid in ids:
            send(pid, signal.SIGKILL)
        self.children.kill(node.process)
        self.children.reap()

    def kill_postgres(self, node):
        send(postmaster(node), signal.SIGKILL)

    def cut(self, node):
        self._tell_network("cut", node)

    def heal(self, node):
        self._tell_network("heal", node)

    def fill_disk(self, node):
        with open(node.data.parent / "ballast", "wb", buffering=0) as ballast:
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(bytes(BALLAST_BYTES))

    def empty_disk(self, node):
        (node.data.parent / "ballast").unlink(missing_ok=True)

    def _make_disks(self):
        for node in self.nodes.values():
            disk = node.data.parent
            disk.mkdir()
            if self.has_disks:
                subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs",
                                str(disk)], check=True)
            if os.geteuid() == 0:
                shutil.chown(disk, "postgres", "postgres")

    def _tell_network(self, what, node):
        self.network.stdin.write(f"{what} {node.name}\n")
        self.network.stdin.flush()
        self.network.stdout.readline()

    # The database.

    @property
    def url(self):
        """As `--database-url`, for the plain writer and for Islet: every host, and no password."""
        return self._url("islet_service", "islet") + "&connect_timeout=2"

    def psql(self, sql, database="islet"):
        """Runs SQL as superuser on the primary; returns unadorned output."""
        return subprocess.run(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", self._url("postgres", database)],
            input=sql, check=True, stdout=subprocess.PIPE, text=True, timeout=60,
            env=self.environment).stdout.strip()

    @property
    def environment(self):
        return {**os.environ, "PGPASSFILE": str(self.passfile)}

    def _url(self, user, database):
        hosts = ",".join(f"127.0.0.1:{node.outer_postgres}" for node in self.nodes.values())
        return f"postgresql://{user}@{hosts}/{database}?target_session_attrs=read-write"

    def _write_passwords(self):
        self.passfile.write_text("".join(
            f"*:*:*:{user}:{password}\n" for user, password in self.passwords.items()))
        self.passfile.chmod(0o600)

    def _start_etcd(self):
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.etcd_port, self.etcd_peer))
        self.children.start("etcd", [
            "etcd", "--enable-v2", "--name", "etcd1", "--data-dir", str(self.directory / "etcd"),
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"etcd1={peer}"], as_postgres=True)
        self._wait("etcd", lambda: self.state() is not None, seconds=30)

    def _start_network(self):
        routes = []
        for node in self.nodes.values():
            routes += [f"{node.name}:{node.outer_postgres}:{node.postgres}",
                       f"{node.name}:{node.outer_rest}:{node.rest}",
                       f"{node.name}:{node.etcd}:{self.etcd_port}"]
        self.network = self.children.start(
            "network", [sys.executable, str(HERE / "network.py"), *routes],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def postmaster(node):
    try:
        return int((node.data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return None


def prepare_sockets():
    """Makes the directory that Debian makes when a machine starts, where nothing started it."""
    if os.geteuid() == 0 and not SOCKETS.exists():
        SOCKETS.mkdir(parents=True)
        shutil.chown(SOCKETS, "postgres", "postgres")


def free_ports(count):
    """Below those that the system gives to connections, so that none is taken while a node is
    away."""
    found = []
    while len(found) < count:
        port = secrets.randbelow(PORTS.stop - PORTS.start) + PORTS.start
        with contextlib.suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            if port not in found:
                found.append(port)
    return found
