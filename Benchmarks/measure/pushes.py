"""How fast pushes get out, without the rest of the system."""

import json
import re
import resource
import subprocess

from . import report

PUSHES = 100_000
STREAMS = 1000
# In Python a push takes a millisecond.
LIBRARY_PUSHES = 5_000


def _h2load(gateway, output):
    """Pushes over one connection with h2load; returns pushes per second and CPU µs for one."""
    body = output / "push.json"
    body.write_text(gateway["body"])
    headers = [argument for name, value in sorted(gateway["headers"].items())
               for argument in ("-H", f"{name}: {value}")]
    before = _children_cpu_seconds()
    text = subprocess.run(
        ["h2load", "-n", str(PUSHES), "-c1", "-t1", f"-m{STREAMS}", "-d", str(body), *headers,
         f"https://127.0.0.1:{gateway['port']}{gateway['path']}"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    cpu = _children_cpu_seconds() - before
    good = int(re.search(r"status codes: (\d+) 2xx", text).group(1))
    if good != PUSHES:
        raise SystemExit(f"h2load got {good} answers of {PUSHES}:\n{text}")
    rate = float(re.search(r"finished in [\d.]+m?s, ([\d.]+) req/s", text).group(1))
    return rate, cpu / PUSHES * 1e6


def client(bench, gateway):
    """Pushes over one connection with Islet's client; returns the same as `_h2load`."""
    text = subprocess.run(
        [bench, "push", str(PUSHES), str(STREAMS)], input=json.dumps(gateway), check=True,
        stdout=subprocess.PIPE, text=True).stdout
    answer = json.loads(text)
    if answer["accepted"] != PUSHES:
        raise SystemExit(f"the client got {answer['accepted']} answers of {PUSHES}")
    return PUSHES / answer["seconds"], answer["cpuSeconds"] / PUSHES * 1e6


def _library(root, gateway):
    """The same with aioapns."""
    venv = root / ".build" / "bench" / "aioapns" / "bin"
    text = subprocess.run(
        [str(venv / "python"), str(root / "Benchmarks" / "peers" / "aioapns" / "push.py"),
         str(LIBRARY_PUSHES), str(STREAMS)], input=json.dumps(gateway), check=True,
        stdout=subprocess.PIPE, text=True).stdout
    answer = json.loads(text)
    if answer["accepted"] != LIBRARY_PUSHES:
        raise SystemExit(f"aioapns got {answer['accepted']} answers of {LIBRARY_PUSHES}")
    return LIBRARY_PUSHES / answer["seconds"], answer["cpuSeconds"] / LIBRARY_PUSHES * 1e6


def _children_cpu_seconds():
    """Of children that have ended, so the gateway does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _pushes(root, output, rounds):
    bench = str(root / ".build" / "release" / "islet-bench")
    ours, theirs, library = [], [], []
    with subprocess.Popen([bench, "gateway"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            gateway = json.loads(process.stdout.readline())
            for _ in range(rounds):
                ours.append(client(bench, gateway))
                theirs.append(_h2load(gateway, output))
                library.append(_library(root, gateway))
        finally:
            # The gateway serves until its input ends.
            process.stdin.close()
    return [
        report.figure(
            id, f"client alone, one connection, {STREAMS:,} streams", "pushes/s",
            [rate for rate, _ in ours], name, [rate for rate, _ in others], goal=goal,
            cpu_micros=[cpu for _, cpu in ours], against_cpu_micros=[cpu for _, cpu in others])
        for id, name, others, goal in (
            ("P1", "h2load, same server and body", theirs, 0.7),
            ("P1b", "aioapns, likewise", library, 15))]


MEASUREMENTS = {"P1": _pushes}
