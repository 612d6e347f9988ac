"""Many clients of one server at once, by wrk."""

import pathlib
import re
import subprocess


def ask(server, script, path, connections, seconds, *arguments):
    """Asks for a while; returns answers per second, the p50 of one in ms, and the server's CPU
    time for one in µs."""
    before = server.cpu_seconds()
    output = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s",
         str(pathlib.Path(__file__).with_name(script)), f"{server.url}{path}", "--", server.key,
         *map(str, arguments)],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    cpu = server.cpu_seconds() - before
    requests, duration, errors, p50 = result(output)
    if errors or not requests:
        raise SystemExit(f"{errors} of {requests} requests failed:\n{output}")
    return requests / (duration / 1e6), p50 / 1000, cpu / requests * 1e6


def result(output):
    """The four numbers that each script prints in the end."""
    found = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+)", output)
    if found is None:
        raise SystemExit(f"wrk told no result:\n{output}")
    return tuple(map(int, found.groups()))
