"""As many streams as there are, on a few connections.

Who: anonymous.
What: 20 connections open streams without a pause, also beyond the 100 that each may have open: each
with another key that does not exist, or another ticket that nobody has made, of this or that tenant.
Must be true: refusals cost the one who asks, not others.
Bound: p99 of another tenant within 3 × of idle, or 50 ms; the memory grows by 64 MB at most.
"""

import asyncio
import contextlib

import h2
from client import invented
from stage import Finding, turn_about

IS_SHORT = False
IS_SECURE = True
GROWTH_MB_MAX = 64
CONNECTIONS = 20
BURST = 100
PAUSE_SECONDS = 0.2
ACTIVITY = "attacked"
PATH = "/v1/activities/" + ACTIVITY


async def run(stage):
    counts = {"asked": 0, "answered": 0}
    rows = await turn_about(
        stage, lambda: _flood(stage, counts), stage.seconds(2, 1), stage.seconds(2, 1),
        stage.seconds(10, 3), mode="kept", rate=25)
    return rows + [Finding("streams that were opened, answered",
                           f"{counts['asked']:,}, {counts['answered']:,}", "> 0",
                           counts["asked"] > 0)]


async def _flood(stage, counts):
    # Made before, since making them would take longer than answering them.
    credentials = [invented(stage.chance, ACTIVITY) for _ in range(10_000)]

    async def one():
        while True:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                connection = await h2.Connection.open(stage.port)
                try:
                    while not connection.is_over:
                        for _ in range(BURST):
                            connection.ask("GET", PATH, stage.chance.choice(credentials))
                        counts["asked"] += BURST
                        await connection.writer.drain()
                        await asyncio.sleep(PAUSE_SECONDS)
                finally:
                    counts["answered"] += connection.answers
                    connection.abort()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
