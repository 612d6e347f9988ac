"""As many streams as there are, on a few connections.

Who: anonymous.
What: 20 connections open streams without a pause, with a key that does not exist, also beyond the 100
that each may have open.
Must hold: refusals cost the one who asks, not others.
Bound: p99 of another tenant within 3 × of idle, or 50 ms; the memory grows by 64 MB at most.
"""

import asyncio
import contextlib

import h2
from stage import Finding, turn_about

IS_SHORT = False
IS_SECURE = True
GROWTH_MB_MAX = 64
CONNECTIONS = 20
BURST = 100
KEY = "islet_" + "0" * 43
PAUSE_SECONDS = 0.2


async def run(stage):
    counts = {"asked": 0, "answered": 0}
    rows = await turn_about(
        stage, lambda: _flood(stage.port, counts), stage.seconds(2, 1), stage.seconds(2, 1),
        stage.seconds(10, 3), mode="kept", rate=25)
    return rows + [Finding("streams that were opened, answered",
                           f"{counts['asked']:,}, {counts['answered']:,}", "> 0",
                           counts["asked"] > 0)]


async def _flood(port, counts):
    async def one():
        while True:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                connection = await h2.Connection.open(port)
                try:
                    while not connection.is_over:
                        for _ in range(BURST):
                            connection.ask("GET", "/v1/activities", KEY)
                        counts["asked"] += BURST
                        await connection.writer.drain()
                        await asyncio.sleep(PAUSE_SECONDS)
                finally:
                    counts["answered"] += connection.answers
                    connection.abort()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
