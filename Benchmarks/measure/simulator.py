"""How fast the simulated Apple answers: it must never be what limits another figure."""

import json
import subprocess
import time
import urllib.error
import urllib.request

from . import pushes, report
from .server import free_port

# What a sender in a test or a benchmark is to be able to push.
RATE = 20_000
START_SECONDS_MAX = 30


def _post(control, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(control + path, data=data), timeout=10) as answer:
        return json.load(answer)


def _await(control, process):
    until = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < until and process.poll() is None:
        try:
            return _post(control, "/healthz")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.05)
    raise SystemExit("the simulator does not start")


def _target(control):
    """A push to a phone's card, with all that the simulator checks."""
    who = _post(control, "/credentials")
    token = _post(control, "/silent-tokens", {"count": 1})["pushTokens"][0]
    state = {"note": "x" * 900}
    aps = {"timestamp": int(time.time()), "event": "update", "content-state": state}
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
    port = free_port()
    control = f"http://127.0.0.1:{port}"
    command = [str(root / ".build" / "release" / "islet"), "simulate", "--apns-port", "0",
               "--management-port", "0", "--control-port", str(port), "--credentials-dir", str(output)]
    bench = str(root / ".build" / "release" / "islet-bench")
    with open(output / "simulator.log", "w", encoding="utf-8") as log:
        with subprocess.Popen(command, stdout=log, stderr=log) as process:
            try:
                _await(control, process)
                target = _target(control)
                runs = [pushes.client(bench, target) for _ in range(rounds)]
            finally:
                process.terminate()
    return report.figure(
        "S1", f"simulated Apple, one connection, {pushes.STREAMS:,} streams, every check", "answers/s",
        [rate for rate, _ in runs], "as many as tests and benchmarks need", [RATE], goal=1)


MEASUREMENTS = {"S1": _answers}
