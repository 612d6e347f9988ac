"""Bodies are announced and never sent.

Who: anonymous; then the owner of a key of another tenant.
What: 600 connections each send a head that announces a megabyte, and nothing more, as long as they
are let; what is cut is opened again.
Must be true: room is taken by what has come, not by what was said, so that no other tenant is refused.
Bound: no post of another tenant is refused or unanswered; its p99 within 3 × of idle, or 50 ms.
"""

import asyncio
import contextlib

from client import HOSTILE, head
from stage import Finding, turn_about

IS_SHORT = False
CONNECTIONS = 600
ANNOUNCED = {"Content-Length": str(1 << 20), "Content-Type": "application/json"}


async def run(stage):
    found = []
    attackers = [("anonymous", None), ("a tenant", stage.key("announcer"))]
    for who, key in attackers[:1] if stage.is_short else attackers:
        first = head("POST", "/v1/events", key, fields=ANNOUNCED)
        rows = await turn_about(
            stage, lambda: _keep_open(stage.port, first), stage.seconds(2, 1),
            stage.seconds(2, 1), stage.seconds(5, 2), mode="fresh", rate=25)
        found += [Finding(f"{who}: {row.what}", row.measured, row.bound, row.passed) for row in rows]
    return found


async def _keep_open(port, first):
    async def one():
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=(HOSTILE, 0))
                try:
                    writer.write(first)
                    while await reader.read(4_096):
                        pass
                finally:
                    writer.transport.abort()
            await asyncio.sleep(0.5)

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
