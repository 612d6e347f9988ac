"""A server under test with a Postgres of its own, and the psql that looks into it."""

import contextlib
import os
import pathlib
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request


# 16 MB each.
LOG_FILES = 24

# What is measured is what a node can do, and one tenant does it all.
GENEROUS = ("--requests-per-second", "1000000", "--events-per-second", "10000000",
            "--bytes-per-second", "1000000000")


class Server:
    """`islet serve` in a temporary directory; use it in a `with` statement."""

    # Only the intake: folding would share the cores with what is measured.
    def __init__(self, root: pathlib.Path, output: pathlib.Path, roles=("api",),
                 tenant="bench", options=(), limits=GENEROUS, islet=None, prefix=()):
        self.islet = str(islet or root / ".build" / "release" / "islet")
        # Words before the command, such as those that bound what it may use.
        self.prefix = list(prefix)
        self.root = root
        self.output = output
        self.roles = roles
        self.tenant = tenant
        self.options = [*limits, *options]
        self.port = free_port()
        # Of a server with a certificate: trusts any, for it is on this machine.
        self.context = (ssl._create_unverified_context() if "--tls-certificate" in self.options
                        else None)
        self.url = f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="islet-bench-")
        # As root the private Postgres runs as another user, who must get through.
        os.chmod(self.directory, 0o755)
        self.data = f"{self.directory}/data"
        self.scratch = f"{self.directory}/scratch"
        os.mkdir(self.scratch)
        os.chmod(self.scratch, 0o777)
        self.log = open(self.output / f"server-{self.tenant}.log", "w", encoding="utf-8")
        roles = [argument for role in self.roles for argument in ("--role", role)]
        self.process = subprocess.Popen(
            [*self.prefix, self.islet, "serve", "--port", str(self.port), "--data-dir", self.data, *roles,
             *self.options],
            stderr=self.log)
        try:
            self._wait()
            self.key = self.make_key(self.tenant)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def make_key(self, tenant: str, *scopes: str) -> str:
        """A new key; without scopes, of all but `admin`."""
        chosen = [argument for scope in scopes for argument in ("--scope", scope)]
        return subprocess.run(
            [self.islet, "keys", "create", "--tenant", tenant, "--data-dir", self.data, *chosen],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True).stdout.strip()

    def psql(self, sql: str) -> str:
        """Runs SQL as the server's owner; returns unadorned output."""
        return subprocess.run(
            self.as_owner(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", self.database_url]),
            input="SET client_min_messages = warning;\n" + sql, check=True,
            stdout=subprocess.PIPE, text=True).stdout.strip()

    def age(self):
        """Gives Postgres files for its write-ahead log to use again, as one has that has run for a
        while: until the first checkpoint it makes new ones, each in the middle of a commit."""
        fill = "SELECT pg_logical_emit_message(false, 'bench', ''), pg_switch_wal();\n"
        self.psql(fill * LOG_FILES + "CHECKPOINT;\n" + fill + "CHECKPOINT;")

    def as_owner(self, command):
        """The private Postgres lets in only the user that it runs as."""
        if os.geteuid() != 0:
            return command
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] + command

    @property
    def database_url(self):
        user = "postgres" if os.geteuid() == 0 else os.environ.get("USER", "")
        host = urllib.parse.quote(f"{self.data}/run", safe="")
        return f"postgresql:///postgres?host={host}&user={user}"

    def cpu_seconds(self):
        """Of Islet's process so far, without Postgres."""
        status = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = status.rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def database_cpu_seconds(self):
        """Of Postgres so far: the server, what it has running, and what has ended."""
        server = int(pathlib.Path(self.data_file("postmaster.pid")).read_text().split()[0])
        total = 0
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry.read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(entry.parent.name) == server:
                total += sum(int(each) for each in fields[11:15])
            elif int(fields[1]) == server:
                total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    def data_file(self, name):
        """A file of the private Postgres."""
        return next(pathlib.Path(self.data).glob(f"**/{name}"))

    def _wait(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=1, context=self.context)
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise SystemExit(f"the server did not start; see {self.log.name}")


def free_port():
    """Below those that the system gives to connections, one of which could take it before the
    program listens."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with contextlib.suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            return port
