"""Long heads for a few bytes each, on many streams that are never ended.

Who: anonymous, from one address.
What: 200 connections put a field of a kilobyte into the table of their header compression, and open 100
streams each that name it 15 times, without the end of a body: half of them where there is nothing to
post, which is refused at once, and half where everybody may ask, which waits for the body.
Must be true: a head is kept only until it is answered, those that wait are bounded, and others are answered.
Bound: 16 MB of heads wait; the memory grows by 96 MB at most (the heads are 300 MB, and the streams alone
take 40 MB).
"""

import asyncio

import h2
from stage import Finding

IS_SHORT = False
IS_SECURE = True
GROWTH_MB_MAX = 96
CONNECTIONS = 200
STREAMS = 100
FIELDS = 15
NAME, VALUE = "x-large", "x" * 1_000
# The newest of the table: what comes after those that the protocol has (RFC 7541, 2.3.3).
NEWEST = bytes([0x80 | 62])
WAITING_MAX = 16 * 1024 * 1024 // (FIELDS * len(VALUE))
STAY_SECONDS = 5


async def run(stage):
    opened = await h2.open_many(stage.port, CONNECTIONS)
    try:
        for index, connection in enumerate(opened):
            head = h2.head("POST" if index % 2 else "GET", "/v1/schemas")
            # The first puts it there.
            fields = h2.indexed(NAME, VALUE) + NEWEST * (FIELDS - 1)
            for _ in range(STREAMS):
                connection.number += 2
                connection.send(h2.frame(
                    h2.HEADERS, h2.END_HEADERS, connection.number, head + fields))
                fields = NEWEST * FIELDS
            await connection.writer.drain()
        await asyncio.sleep(STAY_SECONDS)
        waiting = CONNECTIONS * STREAMS - sum(connection.answers for connection in opened)
        return [
            Finding("connections", str(len(opened)), str(CONNECTIONS),
                    len(opened) == CONNECTIONS),
            Finding("streams that wait", f"{waiting:,}", f"≤ {WAITING_MAX:,}",
                    waiting <= WAITING_MAX),
        ]
    finally:
        for connection in opened:
            connection.abort()
