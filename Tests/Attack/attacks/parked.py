"""Parked events make a read slow.

Who: the owner of a tenant's key, and of one ticket.
What: tens of thousands of events that belong to another kind than their activity, each of which is
parked; then a phone asks for the state of an order that has nothing to do with them.
Must be true: an answer costs what its own activity has, not what the tenant has parked.
Bound: within 3 × of what it took before, or 50 ms.
"""

import asyncio
import json
import time

from client import event, order
from stage import FACTOR_MAX, Finding, percentile

IS_SHORT = False
GROWTH_MB_MAX = 256
PARKED = 60_000
BATCH = 1_000
ASKED = 12
FOLDED_SECONDS_MAX = 60


async def run(stage):
    count = stage.seconds(PARKED, 6_000)
    shop = stage.client(stage.key("parked"))
    await shop.post("/v1/events", order("parked-0", "parked-order"))
    await shop.post("/v1/events", event("parked-00", "parked-order"))
    await shop.post("/v1/events", order("flood", "flooded"))
    phone = stage.client(await stage.ticket(shop.key, "parked-order"))
    await asyncio.sleep(1)
    targets = [f"/v1/activities/parked-order{rest}" for rest in
               ("/state?version=1", "", "/decisions")]
    before = [await _ask(phone, target) for target in targets]
    began = time.monotonic()
    taken = 0
    for first in range(0, count, BATCH):
        batch = [event(f"parked-{first + one}", "flooded", "CoffeeDelivery.CoffeeDelivered", {})
                 for one in range(BATCH)]
        answer = await shop.post("/v1/events", json.dumps(batch).encode(), seconds=20)
        taken += BATCH if answer and answer.status == 201 else 0
        # The rest is not worth more time than this.
        if time.monotonic() - began > 45:
            break
    parked = await _parked(stage, taken)
    found = [Finding("parked", str(parked), "> 0", parked > 0)]
    for target, base in zip(targets, before):
        now = await _ask(phone, target)
        bound = max(FACTOR_MAX * base, stage.floor_millis)
        found.append(Finding(f"GET {target}", f"{base:.0f} → {now:.0f} ms", f"≤ {bound:.0f} ms",
                             now <= bound))
    await shop.close()
    await phone.close()
    return found


async def _ask(client, target):
    times = []
    for _ in range(ASKED):
        began = time.monotonic()
        answer = await client.request("GET", target)
        times.append((time.monotonic() - began) * 1_000)
        assert answer is None or answer.status == 200, answer.body
        # Within what a ticket may ask for.
        await asyncio.sleep(0.06)
    return percentile(times, 50)


async def _parked(stage, wanted):
    deadline = time.monotonic() + FOLDED_SECONDS_MAX
    count = 0
    while count < wanted and time.monotonic() < deadline:
        await asyncio.sleep(0.5)
        count = int(await asyncio.to_thread(
            stage.server.psql, "SELECT count(*) FROM parked_event"))
    return count
