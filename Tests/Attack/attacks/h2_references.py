"""Header blocks that are a few kilobytes on the wire and megabytes once decoded.

Who: anonymous, from one address.
What: 8 connections put a field of four kilobytes into the table of their header compression, or take a
short one that the protocol has, and send requests that name it 16,000 times.
Must be true: what a header block costs is bounded by what it is decoded to, not by what was sent.
Bound: no post of another tenant is refused or unanswered; its p99 within 3 × of idle, or 50 ms.
"""

import asyncio
import contextlib

import h2
from stage import Finding, turn_about

IS_SHORT = False
IS_SECURE = True
CONNECTIONS = 8
# As many as a frame of the least maximum takes beside the other fields (RFC 9113, 4.2).
REFERENCES = 16_000
# The newest of the table: what comes after those that the protocol has (RFC 7541, 2.3.3).
NEWEST = bytes([0x80 | 62])
# accept-encoding: gzip, deflate (RFC 7541, appendix A).
STATIC = bytes([0x80 | 16])


async def run(stage):
    found = []
    for what, first, field in (("own field", h2.indexed("x-a", "v" * 3_900), NEWEST),
                               ("known field", b"", STATIC)):
        rows = await turn_about(stage, lambda: _flood(stage.port, first, field), 2, 2, 4)
        found += [Finding(f"{what}: {row.what}", row.measured, row.bound, row.passed)
                  for row in rows]
    return found


async def _flood(port, first, field):
    async def one():
        while True:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                connection = await h2.Connection.open(port)
                try:
                    _ask(connection, first)
                    while not connection.is_over:
                        _ask(connection, field * REFERENCES)
                        await connection.writer.drain()
                finally:
                    connection.abort()
            await asyncio.sleep(0.05)

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))


def _ask(connection, fields):
    connection.number += 2
    connection.send(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, connection.number,
                             h2.head("GET", "/n") + fields))
