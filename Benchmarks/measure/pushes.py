"""How fast pushes get out, without the rest of the system."""

import dataclasses
import json
import re
import subprocess
import typing

from . import report

PUSHES = 200_000
STREAMS = 1000


@dataclasses.dataclass
class Measurement:
    id: str
    run: typing.Callable


def _h2load(gateway, output):
    """Pushes over one connection with h2load; returns pushes per second."""
    body = output / "push.json"
    body.write_text(gateway["body"])
    headers = [argument for name, value in gateway["headers"].items()
               for argument in ("-H", f"{name}: {value}")]
    text = subprocess.run(
        ["h2load", "-n", str(PUSHES), "-c1", "-t1", f"-m{STREAMS}", "-d", str(body), *headers,
         f"https://127.0.0.1:{gateway['port']}{gateway['path']}"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    good = int(re.search(r"status codes: (\d+) 2xx", text).group(1))
    if good != PUSHES:
        raise SystemExit(f"h2load got {good} answers of {PUSHES}:\n{text}")
    return float(re.search(r"finished in [\d.]+m?s, ([\d.]+) req/s", text).group(1))


def _client(bench, gateway):
    """Pushes over one connection with Islet's client; returns pushes per second."""
    text = subprocess.run(
        [bench, "push", str(PUSHES), str(STREAMS)], input=json.dumps(gateway), check=True,
        stdout=subprocess.PIPE, text=True).stdout
    answer = json.loads(text)
    if answer["accepted"] != PUSHES:
        raise SystemExit(f"the client got {answer['accepted']} answers of {PUSHES}")
    return PUSHES / answer["seconds"]


def _pushes(root, output, rounds):
    bench = str(root / ".build" / "release" / "islet-bench")
    ours, theirs = [], []
    with subprocess.Popen([bench, "gateway"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        gateway = json.loads(process.stdout.readline())
        for _ in range(rounds):
            ours.append(_client(bench, gateway))
            theirs.append(_h2load(gateway, output))
        process.stdin.close()
    return report.figure(
        "P1", f"client alone, one connection, {STREAMS} streams", "pushes/s", ours,
        "h2load, same server and body", theirs, goal=0.7)


MEASUREMENTS = [Measurement("P1", _pushes)]
