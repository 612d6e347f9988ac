"""Answers that nobody reads, and connections that do nothing, over HTTP/2.

Who: anonymous, from one address.
What: 500 connections are opened and asked one thing each; then each opens 100 streams for the largest
page there is, with a window of nothing, so that no answer can be sent.
Must be true: what a connection keeps is small, and an answer is not copied for each stream.
Bound: 128 KiB for a connection that waits, 512 KiB for one with 100 answers that wait; others are
answered.
"""

import asyncio

import h2
from stage import Finding, resident_mb

IS_SHORT = False
IS_SECURE = True
GROWTH_MB_MAX = 400
CONNECTIONS = 500
STREAMS = 100
IDLE_KIB_MAX = 128
WAITING_KIB_MAX = 512


async def run(stage):
    process = stage.server.process.pid
    before = resident_mb(process)
    opened = await h2.open_many(
        stage.port, CONNECTIONS, own=[(h2.INITIAL_WINDOW_SIZE, 0)])
    try:
        for connection in opened:
            connection.ask("HEAD", "/v1/schemas")
        await asyncio.sleep(3)
        idle = (resident_mb(process) - before) * 1_000 / max(1, len(opened))
        for connection in opened:
            for _ in range(STREAMS - 1):
                connection.ask("GET", "/openapi.json")
            await connection.writer.drain()
        await asyncio.sleep(5)
        waiting = (resident_mb(process) - before) * 1_000 / max(1, len(opened))
        answers = sum(connection.answers for connection in opened)
        return [
            Finding("connections", str(len(opened)), str(CONNECTIONS),
                    len(opened) == CONNECTIONS),
            Finding("memory of one that waits", f"{idle:.0f} KiB", f"≤ {IDLE_KIB_MAX} KiB",
                    idle <= IDLE_KIB_MAX),
            Finding(f"memory of one with {STREAMS} answers that nobody reads",
                    f"{waiting:.0f} KiB ({answers:,} answers began)", f"≤ {WAITING_KIB_MAX} KiB",
                    waiting <= WAITING_KIB_MAX),
        ]
    finally:
        for connection in opened:
            connection.abort()
