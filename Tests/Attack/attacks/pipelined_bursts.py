"""Thousands of the shortest requests at once on each connection.

Who: anonymous, from one address.
What: 20 connections send 2,000 requests for a page that does not exist in one go, read the answers, and
send them again.
Must be true: a connection's requests take turns with those of others, however many have come.
Bound: no post of another tenant is refused or unanswered; its p99 within 3 × of idle, or 50 ms.
"""

import asyncio
import contextlib

from client import HOSTILE
from stage import turn_about

IS_SHORT = False
CONNECTIONS = 20
REQUESTS = 2_000
BURST = b"GET /n HTTP/1.1\r\nHost: a\r\n\r\n" * REQUESTS


async def run(stage):
    return await turn_about(stage, lambda: _flood(stage.port), 3, 2, 4)


async def _flood(port):
    async def one():
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=(HOSTILE, 0))
                try:
                    part = b"answered"
                    while part:
                        writer.write(BURST)
                        answers = 0
                        while answers < REQUESTS and (part := await reader.read(1 << 20)):
                            answers += part.count(b"HTTP/1.1 ")
                finally:
                    writer.transport.abort()
            await asyncio.sleep(0.05)

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
