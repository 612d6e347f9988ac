"""One tenant fills the queue.

Who: the owner of a tenant's key, from one address.
What: twenty-four connections post batches of 1,000 events without a pause.
Must be true: another tenant's single posts are taken, nearly as soon as without it.
Bound: none refused or unanswered; p99 within 3 × of idle, or 50 ms.
"""

import asyncio
import json
import uuid

from client import event
from stage import Finding, turn_about

IS_SHORT = False
GROWTH_MB_MAX = 256
CONNECTIONS = 24
EVENTS = 1_000


async def run(stage):
    key = stage.key("batches")
    counts = {}
    # Made once: what is measured is the server. Only ids must differ, and have one length.
    batch = json.dumps([event(f"XXXXXXXX-{number:04}", f"order-{number % 50}")
                        for number in range(EVENTS)]).encode()

    async def post():
        client = stage.client(key)
        try:
            while True:
                answer = await client.post(
                    "/v1/events", batch.replace(b"XXXXXXXX", uuid.uuid4().hex[:8].encode()))
                status = answer.status if answer else 0
                counts[status] = counts.get(status, 0) + 1
                # A client that ignores the answer to wait is hostile; one that spins is no more.
                await asyncio.sleep(0.01 if status != 201 else 0)
        finally:
            await client.close()

    async def attack():
        await asyncio.gather(*(post() for _ in range(CONNECTIONS)))

    found = await turn_about(stage, attack, stage.seconds(3, 1), stage.seconds(3, 2),
                             stage.seconds(6, 3))
    taken = counts.get(201, 0) * EVENTS
    return found + [Finding("the attacker's events recorded", f"{taken} ({counts})", "> 0",
                            taken > 0)]
