"""`islet simulate`, and how fast it answers: it must never be what limits another figure."""

import json
import pathlib
import subprocess
import time
import urllib.request

from . import pushes, report
from .server import free_port

# What a sender in a test or a benchmark is to be able to push.
RATE = 20_000
START_SECONDS_MAX = 30


class Simulator:
    """`islet simulate` on ports of its own; use it in a `with` statement."""

    def __init__(self, islet, output, arguments=(), directory=None, prefix=()):
        self.port = free_port()
        self.log = open(pathlib.Path(output) / "simulator.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [*prefix, str(islet), "simulate", "--apns-port", "0", "--management-port", "0", "--control-port",
             str(self.port), *arguments]
            + ([] if "--credentials-dir" in arguments else ["--credentials-dir", str(directory or output)]),
            cwd=directory, stderr=self.log)

    def __enter__(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.ask("/healthz")
                return self
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        raise SystemExit(f"the simulator did not start; see {self.log.name}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100


def _target(simulator):
    """A push to a phone's card, with all that the simulator checks."""
    who = simulator.ask("/credentials")
    token = simulator.ask("/silent-tokens", {"count": 1})["pushTokens"][0]
    aps = {"timestamp": int(time.time()), "event": "update", "content-state": {"note": "x" * 900}}
    return {
        "port": who["apnsPort"], "authorityPEM": who["authorityPEM"],
        "path": f"/3/device/{token}", "body": json.dumps({"aps": aps}, separators=(",", ":")),
        "headers": {
            "apns-id": "2f9a3c1e-7d44-4b0a-9c55-0e6f8a1b2c3d", "apns-push-type": "liveactivity",
            "apns-topic": f"{who['bundleID']}.push-type.liveactivity", "apns-priority": "10",
            "apns-expiration": str(int(time.time()) + 3600),
        },
        "credentials": {key: who[key] for key in ("teamID", "keyID", "signingKeyPEM")},
    }


def _answers(root, output, rounds):
    build = root / ".build" / "release"
    rates, costs = [], []
    with Simulator(build / "islet", output) as simulator:
        target = _target(simulator)
        for _ in range(rounds):
            before = simulator.cpu_seconds()
            rates.append(pushes.client(str(build / "islet-bench"), target)[0])
            costs.append((simulator.cpu_seconds() - before) / pushes.PUSHES * 1e6)
    return report.figure(
        "S1", f"simulated Apple, one connection, {pushes.STREAMS:,} streams, every check", "answers/s",
        rates, "as many as tests and benchmarks need", [RATE], goal=1, cpu_micros=costs)


MEASUREMENTS = {"S1": _answers}
