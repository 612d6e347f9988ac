"""Bodies that hardly come, on many streams of few connections.

Who: the owner of a key of another tenant.
What: 20 connections open 100 streams each, which announce a megabyte and send a byte now and then.
Must be true: a stream is given up when its time is over, however its bytes trickle in, and no other tenant
is refused.
Bound: within 30 s (a body has 20); no post of another tenant is refused or unanswered, its p99 within
3 × of idle, or 50 ms.
"""

import asyncio
import contextlib
import time

import h2
from stage import Finding, end, turn_about

IS_SHORT = False
IS_SECURE = True
CONNECTIONS = 20
STREAMS = 100
BODY = {"content_type": "application/json", "content_length": 1 << 20}
SECONDS_MAX = 30


async def run(stage):
    key = stage.key("slow")
    took = await _until_given_up(stage.port, key)
    rows = await turn_about(
        stage, lambda: _trickle(stage.port, key), stage.seconds(2, 1), stage.seconds(2, 1),
        stage.seconds(10, 3), mode="kept", rate=25)
    return [Finding("a slow body is given up", "never" if took is None else f"after {took:.0f} s",
                    f"≤ {SECONDS_MAX} s", took is not None)] + rows


async def _open(port, key):
    connection = await h2.Connection.open(port)
    streams = [connection.ask("POST", "/v1/events", key, ends=False, **BODY)
               for _ in range(STREAMS)]
    return connection, streams


async def _drip(connection, streams):
    while not connection.is_over:
        for stream in streams:
            connection.send(h2.frame(h2.DATA, 0, stream, b" "))
        await connection.writer.drain()
        await asyncio.sleep(1)


async def _until_given_up(port, key):
    connection, streams = await _open(port, key)
    dripping = asyncio.create_task(_drip(connection, streams))
    began = time.monotonic()
    try:
        while time.monotonic() - began < SECONDS_MAX:
            # An answer for each, whatever it says.
            if connection.answers >= STREAMS or connection.is_over:
                return time.monotonic() - began
            await asyncio.sleep(0.2)
        return None
    finally:
        await end([dripping])
        connection.abort()


async def _trickle(port, key):
    async def one():
        while True:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                connection, streams = await _open(port, key)
                try:
                    await _drip(connection, streams)
                finally:
                    connection.abort()
            await asyncio.sleep(0.5)

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
