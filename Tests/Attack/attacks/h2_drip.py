"""Answers that are read a byte at a time, on many streams of few connections.

Who: the owner of a key of another tenant.
What: five connections open 100 streams each for a page of a megabyte, which is made for each, with a
window of nothing, and then take a byte of each now and then.
Must be true: what waits for one address is bounded, and a stream is given up when it is hardly read.
Bound: 64 MB wait, and making the pages takes some more; all streams are over within 60 s (a client has
20 for each 16 KiB, and the pages take some to make).
"""

import asyncio
import struct
import time

import h2
from client import event
from stage import Finding

IS_SHORT = False
IS_SECURE = True
GROWTH_MB_MAX = 256
CONNECTIONS = 5
STREAMS = 100
SECONDS_MAX = 60
EVENTS = 500
PADDING = "x" * 2_000
PAGE = "/v1/events?limit=500"


async def run(stage):
    key = stage.key("drip")
    client = stage.client(key)
    for part in range(2):
        answer = await client.post("/v1/events", [
            event(f"drip-{part}-{number}", f"drip-{number % 50}", padding=PADDING)
            for number in range(EVENTS // 2)])
        if answer is None or answer.status != 201:
            raise RuntimeError(f"no events: {answer and answer.body[:200]}")
    page = await client.request("GET", PAGE)
    await client.close()
    opened = await h2.open_many(
        stage.port, CONNECTIONS, own=[(h2.INITIAL_WINDOW_SIZE, 0)])
    began = time.monotonic()
    try:
        streams = [[connection.ask("GET", PAGE, key) for _ in range(STREAMS)]
                   for connection in opened]
        while left := sum(not connection.is_over and STREAMS - connection.resets
                          for connection in opened):
            if time.monotonic() - began > SECONDS_MAX:
                break
            for connection, numbers in zip(opened, streams):
                connection.send(b"".join(
                    h2.frame(h2.WINDOW_UPDATE, 0, number, struct.pack(">I", 1))
                    for number in numbers))
            await asyncio.sleep(2)
        return [
            Finding("size of a page", f"{len(page.body) if page else 0:,} bytes", "≥ 1,000,000",
                    page is not None and len(page.body) >= 1_000_000),
            Finding("streams left", f"{left} after {time.monotonic() - began:.0f} s",
                    f"0 within {SECONDS_MAX} s", left == 0),
        ]
    finally:
        for connection in opened:
            connection.abort()
