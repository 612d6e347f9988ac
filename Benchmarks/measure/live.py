"""How soon what was sent can be seen."""

import json
import statistics
import subprocess

from . import report
from .plain import Plain
from .server import Server

RATE = 1_000
SECONDS_MIN = 5


def run(server, bench, rate, seconds):
    """What `islet-bench live` found."""
    text = subprocess.run(
        [bench, "live", str(server.port), str(rate), str(seconds)], input=server.key + "\n",
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text)


def _live(root, output, rounds, seconds):
    bench = str(root / ".build" / "release" / "islet-bench")
    seconds = max(seconds, SECONDS_MIN)
    visible, plain, cpu = [], [], []
    with Server(root, output, roles=("api", "projector"), tenant="live") as server:
        server.age()
        run(server, bench, RATE, SECONDS_MIN)
        with Plain(server) as peer:
            for _ in range(rounds):
                before = server.cpu_seconds()
                found = run(server, bench, RATE, seconds)
                cpu.append((server.cpu_seconds() - before) / found["events"] * 1e6)
                waits, acks, late = (
                    found[name] for name in ("visibleMillis", "acknowledgedMillis", "lateMillis"))
                visible.append(report.p99(waits))
                alone, _ = peer.run(RATE, seconds)
                plain.append(report.p99(alone))
                print(f"R2: acknowledged p50 {statistics.median(acks):.2f} p99 {report.p99(acks):.2f}, "
                      f"visible p50 {statistics.median(waits):.2f} p99 {visible[-1]:.2f}, pgbench "
                      f"p50 {statistics.median(alone):.2f} p99 {plain[-1]:.2f}, sent late "
                      f"p99 {report.p99(late):.2f} ms; CPU an event: generator "
                      f"{found['cpuMicros']:.0f}, Islet {cpu[-1]:.0f} µs", flush=True)
    return report.figure(
        "R2", f"sending to visible snapshot at {RATE:,} events/s, p99", "ms", visible,
        "pgbench, the same rows in two commits at that rate, p99", plain, goal=1.5, at_most=True,
        cpu_micros=cpu)


MEASUREMENTS = {"R2": _live}
