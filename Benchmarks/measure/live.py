"""How soon what was acknowledged can be seen."""

import asyncio
import json
import os
import statistics
import time

from . import report
from .server import Server

RATE = 1_000
CONNECTIONS = 64
HEADERS = "Host: bench\r\nAuthorization: Bearer {key}\r\n"


async def _answer(reader):
    """Body of the next answer on a connection; `Content-Length` is the only framing sent here."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                  if line.lower().startswith(b"content-length:"))
    body = await reader.readexactly(length)
    if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
        raise SystemExit(f"unexpected answer: {head[:60]!r} {body[:200]!r}")
    return json.loads(body)


async def _client(server, number, start, seconds, label, acks, waits):
    """Every 64th of a second one new order, and then a read that waits for it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    headers = HEADERS.format(key=server.key)
    interval = CONNECTIONS / RATE
    for turn in range(int(seconds / interval)):
        due = start + (turn + number / CONNECTIONS) * interval
        await asyncio.sleep(max(0, due - time.perf_counter()))
        order = f"{label}-{number}-{turn}"
        body = json.dumps({
            "specversion": "1.0", "id": order, "source": "/bench", "subject": order,
            "type": "PizzaDelivery.OrderPlaced", "time": "2026-05-01T12:00:00Z",
            "data": {"orderNumber": "1", "numberOfPizzas": 2, "totalAmount": "$3",
                     "promisedAt": "2026-05-01T12:40:00Z"}})
        sent = time.perf_counter()
        writer.write(
            f"POST /v1/events HTTP/1.1\r\n{headers}Content-Type: application/cloudevents+json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = await _answer(reader)
        acknowledged = time.perf_counter()
        position = answer["events"][0]["position"]
        writer.write(
            f"GET /v1/activities/{order}?wait={position} HTTP/1.1\r\n{headers}\r\n".encode())
        await _answer(reader)
        acks.append((acknowledged - sent) * 1000)
        waits.append((time.perf_counter() - acknowledged) * 1000)
    writer.close()


async def _run(server, seconds, label):
    acks, waits = [], []
    start = time.perf_counter() + 0.1
    await asyncio.gather(*(
        _client(server, number, start, seconds, label, acks, waits)
        for number in range(CONNECTIONS)))
    return acks, waits


def _live(root, output, rounds, seconds):
    visible, acknowledged = [], []
    with Server(root, output, roles=("api", "projector"), tenant="live") as server:
        asyncio.run(_run(server, 1, "warm"))
        for round in range(rounds):
            acks, waits = asyncio.run(_run(server, max(seconds, 3), f"{os.getpid()}-{round}"))
            visible.append(statistics.quantiles(waits, n=100)[98])
            acknowledged.append(statistics.median(acks))
    return report.figure(
        "R2", f"acknowledgement to visible snapshot at {RATE:,} events/s, p99", "ms", visible,
        "acknowledgement, p50", acknowledged, goal=3, at_most=True)


MEASUREMENTS = {"R2": _live}
