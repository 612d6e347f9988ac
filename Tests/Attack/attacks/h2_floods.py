"""Frames that ask for work and cost their sender nothing, over HTTP/2.

Who: anonymous.
What: four connections at a time send nothing but one kind of frame, as fast as they can: PING, SETTINGS,
streams that are reset as soon as they are opened (the "rapid reset"), empty DATA, PRIORITY, and
CONTINUATION without an end. What is closed comes again.
Must be true: every such connection is closed, and others are served.
Bound: after 10,000 frames; p99 of another tenant within 3 × of idle, or 50 ms.
"""

import asyncio
import contextlib
import struct
import time

import h2
from stage import Finding, turn_about

IS_SHORT = True
IS_SECURE = True
GROWTH_MB_MAX = 64
CONNECTIONS = 4
BURST = 100
FRAMES_MAX = 10_000
# What is on its way while the server says good-bye.
PAUSE_SECONDS = 0.005
SECONDS_MAX = 15


def _ping(connection):
    return h2.frame(h2.PING, payload=b"attacked") * BURST


def _settings(connection):
    return h2.settings((h2.INITIAL_WINDOW_SIZE, 65_535)) * BURST


def _reset(connection):
    sent = b""
    for _ in range(BURST):
        connection.number += 2
        sent += h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, connection.number,
                         h2.head("GET", "/v1/schemas"))
        sent += h2.frame(h2.RST_STREAM, 0, connection.number, struct.pack(">I", 8))
    return sent


def _empty_data(connection):
    if connection.number < 0:
        connection.ask("POST", "/v1/events", ends=False, content_type="application/json")
    return h2.frame(h2.DATA, 0, connection.number) * BURST


def _priority(connection):
    return h2.frame(h2.PRIORITY, 0, 1, struct.pack(">IB", 0, 16)) * BURST


def _continuation(connection):
    first = b""
    if connection.number < 0:
        connection.number = 1
        first = h2.frame(h2.HEADERS, h2.END_STREAM, 1, h2.head("GET", "/v1/schemas"))
    return first + h2.frame(h2.CONTINUATION, 0, 1, h2.head("GET", "/")[:0]) * BURST


KINDS = {"PING": _ping, "SETTINGS": _settings, "streams and resets": _reset,
         "empty DATA": _empty_data, "PRIORITY": _priority, "CONTINUATION": _continuation}


async def run(stage):
    found = []
    kinds = ["PING", "streams and resets"] if stage.is_short else KINDS
    for name in kinds:
        longest = await _until_closed(stage.port, KINDS[name])
        found.append(Finding(f"{name}: frames until it is closed",
                             "never" if longest is None else f"{longest:,}", f"≤ {FRAMES_MAX:,}",
                             longest is not None and longest <= FRAMES_MAX))
    rows = await turn_about(
        stage, lambda: _all(stage.port), stage.seconds(2, 1), stage.seconds(2, 1),
        stage.seconds(6, 2), mode="kept", rate=25)
    return found + rows


async def _until_closed(port, burst):
    connection = await h2.Connection.open(port)
    sent, deadline = 0, time.monotonic() + SECONDS_MAX
    try:
        while sent <= FRAMES_MAX and not connection.is_over and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                connection.send(burst(connection))
                await connection.writer.drain()
            sent += BURST
            await asyncio.sleep(PAUSE_SECONDS)
        return sent if await connection.ended(5) else None
    finally:
        connection.abort()


async def _all(port):
    async def one(burst):
        while True:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                connection = await h2.Connection.open(port)
                try:
                    while not connection.is_over:
                        connection.send(burst(connection))
                        await connection.writer.drain()
                        await asyncio.sleep(PAUSE_SECONDS)
                finally:
                    connection.abort()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(one(burst) for burst in list(KINDS.values())[:CONNECTIONS]))
