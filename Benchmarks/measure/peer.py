"""The FastAPI service of Benchmarks/peers, on the Postgres of the server under test."""

import os
import pathlib
import pwd
import subprocess
import time
import urllib.request

from .server import free_port


class Peer:
    """A running service; use it in a `with` statement."""

    key = "none"

    def __init__(self, server, workers):
        self.server = server
        self.workers = workers
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        venv = self.server.root / ".build" / "bench" / "fastapi" / "bin"
        environment = dict(
            os.environ, PEER_WORKERS=str(self.workers), PEER_HOST=f"{self.server.data}/run",
            PEER_USER=os.environ.get("USER", "postgres"))
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            environment.update(
                PEER_USER="postgres", PEER_UID=str(owner.pw_uid), PEER_GID=str(owner.pw_gid))
        self.log = open(self.server.output / "peer.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [str(venv / "uvicorn"), "service:app", "--port", str(self.port), "--workers",
             str(self.workers), "--loop", "uvloop", "--http", "httptools", "--no-access-log",
             "--log-level", "warning"],
            cwd=self.server.root / "Benchmarks" / "peers" / "fastapi", env=environment,
            stdout=self.log, stderr=self.log)
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()

    def cpu_seconds(self):
        """Of all its processes so far."""
        ticks = 0
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if self.process.pid in (int(status.parent.name), int(fields[1])):
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _wait(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=1)
                # Each worker opens its pool before it answers; give the other one time, too.
                time.sleep(1)
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"the service did not start; see {self.server.output}/peer.log")
