"""Bytes on a bare socket: each must be answered, or cut, within the server's limits.

The limits are those of Sources/HTTP/Limits.swift; Tests/HTTPTests tries many more verdicts on a
server without a store.
"""

import concurrent.futures
import json
import random
import re
import socket
import time

HEAD_SECONDS = 10
BODY_SECONDS = 20
# For a busy machine.
SLACK_SECONDS = 10
MUTATIONS = 400
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
EVENT = {
    "specversion": "1.0", "id": "probe-1", "source": "/probes", "subject": "probe-1",
    "type": "PizzaDelivery.DriverAssigned", "time": "2026-05-01T12:00:00Z",
    "data": {"driverName": "Ada"},
}


class Prober:
    """Sends bytes over connections of their own and says which answers came."""

    def __init__(self, port, key):
        self.port = port
        self.fields = f"Host: a\r\nAuthorization: Bearer {key}\r\n"

    def request(self, method="GET", target="/healthz", fields="", body=b""):
        head = f"{method} {target} HTTP/1.1\r\n{self.fields}{fields}\r\n"
        return head.encode("latin-1") + body

    def post(self, body, kind="application/cloudevents+json", fields=""):
        length = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        return self.request("POST", "/v1/events", length + fields, body)

    def chunked(self, body, kind="application/cloudevents+json"):
        return self.request(
            "POST", "/v1/events",
            f"Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\n", body)

    def exchange(self, data, seconds, drip=None, hang_up=False, half_close=False):
        """The statuses that came before the connection ended or `seconds` were over, and whether
        it ended. `drip`: bytes that follow one by one, a few a second."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        end = time.monotonic() + seconds
        received = b""
        closed = False
        with connection:
            try:
                connection.sendall(data)
                if hang_up:
                    return [], True
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
                connection.settimeout(0.25)
                while not closed and time.monotonic() < end:
                    if drip:
                        connection.sendall(drip[:1])
                        drip = drip[1:]
                    try:
                        part = connection.recv(65_536)
                    except TimeoutError:
                        continue
                    closed = not part
                    received += part
            except (ConnectionResetError, BrokenPipeError):
                closed = True
        return [int(status) for status in STATUS.findall(received)], closed


def run(server, key, seed):
    """Returns what failed."""
    print("== probes on a bare socket", flush=True)
    prober = Prober(server.port, key)
    failed = []
    cases = _cases(prober)
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        for name, problem in pool.map(lambda case: _try(prober, *case), cases):
            if problem:
                failed.append(f"probe '{name}': {problem}")
    print(f"{len(cases)} probes, {len(failed)} failed", flush=True)
    found = _mutate(prober, random.Random(seed))
    print(f"{MUTATIONS} mutations, {len(found)} failed", flush=True)
    statuses, _ = prober.exchange(prober.request(fields="Connection: close\r\n"), 5)
    if statuses != [200]:
        failed.append(f"/healthz answers {statuses} after the probes")
    return failed + found


def _try(prober, name, expected, seconds, data, options):
    started = time.monotonic()
    statuses, closed = prober.exchange(data, seconds + SLACK_SECONDS, **options)
    took = time.monotonic() - started
    if statuses != expected:
        return name, f"answers {statuses}, expected {expected}"
    if not closed:
        return name, f"still open after {took:.1f} s"
    return name, None


def _cases(prober):
    """Name, statuses in their order, seconds to the end of the connection, bytes, options."""
    event = json.dumps(EVENT).encode()
    line = event.replace(b"probe-1", b"probe-2")
    close = "Connection: close\r\n"
    chunk = f"{len(event):x}\r\n".encode() + event + b"\r\n"
    pipelined = prober.request() * 3 + prober.post(event, fields=close)
    bad_text = event.replace(b"Ada", b"\xff\xfe")
    null_text = event.replace(b"Ada", b"\\u0000")
    return [
        ("a slow head", [408], HEAD_SECONDS, b"GET / HTTP/1.1\r\nX: ", {"drip": b"a" * 300}),
        ("a slow body", [408], BODY_SECONDS,
         prober.request("POST", "/v1/events", "Content-Type: application/json\r\n"
                        "Content-Length: 300\r\n"), {"drip": b" " * 300}),
        ("silence", [], HEAD_SECONDS, b"", {}),
        ("a large head", [431], 2, prober.request(fields="X: " + "a" * 20_000 + "\r\n"), {}),
        ("many fields", [431], 2, prober.request(fields="X: a\r\n" * 200), {}),
        ("a long target", [414], 2, prober.request(target="/" + "a" * 20_000), {}),
        ("a large body", [413], 2, prober.post(b" " * (2 << 20)), {}),
        ("a larger length", [413], 2,
         prober.request("POST", "/v1/events", "Content-Length: 99999999999\r\n"), {}),
        ("large chunks", [413], 2, prober.chunked((b"40000\r\n" + b" " * 0x40000 + b"\r\n") * 8),
         {}),
        ("a truncated head", [], 2, b"GET /healthz HT", {"half_close": True}),
        ("a truncated body", [], 2, prober.post(event)[:-10], {"half_close": True}),
        ("truncated chunks", [], 2, prober.chunked(chunk[:-20]), {"half_close": True}),
        ("a hang-up", [], 2, prober.post(event)[:-10], {"hang_up": True}),
        ("chunks", [201], 2, prober.chunked(chunk + b"0\r\n\r\n"), {"half_close": True}),
        ("a stream in chunks", [201], 2,
         prober.chunked(
             f"{len(line) + 1:x}\r\n".encode() + line + b"\n\r\n0\r\n\r\n",
             "application/x-ndjson"), {"half_close": True}),
        ("a bad chunk", [400], 2, prober.chunked(b"zz\r\n"), {}),
        ("chunks and a length", [400], 2,
         prober.request("POST", "/v1/events", "Transfer-Encoding: chunked\r\n"
                        "Content-Length: 5\r\n", b"0\r\n\r\n"), {}),
        ("pipelining", [200, 200, 200, 201], 4,
         pipelined.replace(b"probe-1", b"probe-3"), {}),
        ("a bad request in the pipeline", [200, 400], 2,
         prober.request() + b"nonsense\r\n\r\n" + prober.request(), {}),
        ("a target that is no ASCII", [400], 2, prober.request(target="/\xff"), {}),
        ("a path that is no UTF-8", [400], 2,
         prober.request(target="/problems/%ff%fe", fields=close), {}),
        ("a query that is no UTF-8", [400], 2,
         prober.request(target="/v1/events?type=%ff", fields=close), {}),
        ("an attribute that is no UTF-8", [422], 2,
         prober.post(b"{}", "application/json", close + "ce-id: \xff\xfe\r\n"), {}),
        ("a body that is no UTF-8", [400], 2, prober.post(bad_text, fields=close), {}),
        ("a NUL in a string", [400], 2, prober.post(null_text, fields=close), {}),
        ("deep JSON", [400], 2, prober.post(b"[" * 100_000, fields=close), {}),
        ("a TLS hello", [400], 2, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", {}),
    ]


def _mutate(prober, chance):
    """Valid requests with some bytes changed, cut out, doubled or swapped."""
    event = json.dumps(EVENT).encode()
    valid = [
        prober.post(event), prober.post(b"[" + event + b"]", "application/json"),
        prober.chunked(f"{len(event):x}\r\n".encode() + event + b"\r\n0\r\n\r\n"),
        prober.post(event + b"\n", "application/x-ndjson"),
        prober.request(target="/v1/events?after=0&limit=2&type=Match.GoalScored"),
        prober.request(target="/v1/activities/probe-1/events"),
    ]
    inputs = [_mutated(chance, chance.choice(valid)) for _ in range(MUTATIONS)]

    def attempt(data):
        # Half-closing tells the server that no more will come, so it never has to wait.
        statuses, closed = prober.exchange(data, 5 + SLACK_SECONDS, half_close=True)
        # 501 and 505 refuse codings and versions.
        if any(status >= 500 and status not in (501, 505) for status in statuses):
            return f"mutation {data!r}: answers {statuses}"
        return None if closed else f"mutation {data!r}: no end"

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return [problem for problem in pool.map(attempt, inputs) if problem]


def _mutated(chance, data):
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        length = chance.randint(1, 8)
        kind = chance.randrange(4)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            del data[at:at + length]
        elif kind == 2:
            data[at:at] = data[at:at + length]
        else:
            data[at:at] = chance.choice([b"\r\n", b"\0", b"\xff", b"\n", b" ", b":", b"\r"])
    return bytes(data)
