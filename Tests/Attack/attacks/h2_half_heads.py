"""Half heads and half handshakes, over HTTP/2 and TLS.

Who: anonymous, from one address.
What: 400 connections send half of a handshake each, 400 more a handshake and half of a head (HEADERS
without its end), and nothing more; those that are cut come again.
Must be true: clients from another address, each with a fresh connection, are served.
Bound: none refused or unanswered; p99 within 3 × of idle, or 100 ms, since each of them shakes hands.
"""

import asyncio
import contextlib

import h2
from client import HOSTILE
from stage import Finding, turn_about

IS_SHORT = False
IS_SECURE = True
CONNECTIONS = 400
FLOOR_MILLIS = 100.0
# The first bytes of a ClientHello that announces 512 of them.
HALF_HANDSHAKE = bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])


async def run(stage):
    reached = [0, 0]
    rows = await turn_about(
        stage, lambda: _keep_open(stage.port, reached), stage.seconds(2, 1), stage.seconds(2, 1),
        stage.seconds(15, 4), mode="fresh", rate=10, floor_millis=FLOOR_MILLIS)
    return rows + [Finding("half handshakes, half heads", f"{reached[0]}, {reached[1]}", "> 0",
                           min(reached) > 0)]


async def _keep_open(port, reached):
    async def handshake():
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=(HOSTILE, 0))
                try:
                    writer.write(HALF_HANDSHAKE)
                    reached[0] += 1
                    while await reader.read(4_096):
                        pass
                finally:
                    writer.transport.abort()
            await asyncio.sleep(0.5)

    async def head(number):
        # One after the other: the attacker's own handshakes must not be what is measured.
        await asyncio.sleep(number * 0.01)
        while True:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                connection = await h2.Connection.open(port)
                try:
                    half = h2.head("GET", "/v1/schemas")[:20]
                    connection.send(h2.frame(h2.HEADERS, h2.END_STREAM, 1, half))
                    reached[1] += 1
                    await connection.ended(60)
                finally:
                    connection.abort()
            await asyncio.sleep(2)

    await asyncio.gather(*(handshake() for _ in range(CONNECTIONS)),
                         *(head(number) for number in range(CONNECTIONS)))
