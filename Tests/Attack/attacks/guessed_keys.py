"""A client that can connect tries keys and tickets, each another one.

Who: anonymous.
What: 300 connections ask with keys that do not exist and tickets that nobody has made, all at the same
time and as soon as the last of them was refused, or half a second later.
Must be true: looking them up costs the one who asks, not others.
Bound: p99 of another tenant within 3 × of idle, or 50 ms; the memory grows by 32 MB at most.
"""

import asyncio
import contextlib
import time

from client import HOSTILE, head, invented
from stage import Finding, turn_about

IS_SHORT = False
GROWTH_MB_MAX = 32
CONNECTIONS = 300
ACTIVITY = "attacked"
PATH = "/v1/activities/" + ACTIVITY
PAUSE_SECONDS = 0.5


async def run(stage):
    counts = {"refused": 0, "answered otherwise": 0}
    rows = await turn_about(
        stage, lambda: _flood(stage, counts), stage.seconds(2, 1), stage.seconds(2, 1),
        stage.seconds(10, 3), mode="kept", rate=25)
    return rows + [
        Finding("keys and tickets refused", f"{counts['refused']:,}", "> 0", counts["refused"] > 0),
        Finding("… answered otherwise", str(counts["answered otherwise"]), "0",
                counts["answered otherwise"] == 0)]


async def _flood(stage, counts):
    requests = [head("GET", PATH, invented(stage.chance, ACTIVITY)) for _ in range(10_000)]
    streams = await asyncio.gather(
        *(asyncio.open_connection("127.0.0.1", stage.port, local_addr=(HOSTILE, 0))
          for _ in range(CONNECTIONS)))
    try:
        while True:
            began = time.monotonic()
            for _, writer in streams:
                writer.write(stage.chance.choice(requests))
            with contextlib.suppress(asyncio.IncompleteReadError, OSError):
                for reader, _ in streams:
                    answer = await reader.readuntil(b"\r\n\r\n")
                    length = answer.lower().split(b"content-length: ")[1].split(b"\r")[0]
                    await reader.readexactly(int(length))
                    counts["refused" if b" 401 " in answer[:20] else "answered otherwise"] += 1
            await asyncio.sleep(max(0, began + PAUSE_SECONDS - time.monotonic()))
    finally:
        for _, writer in streams:
            writer.transport.abort()
