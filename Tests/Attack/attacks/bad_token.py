"""A token that Apple does not know.

Who: the owner of a tenant's key, who does not know better.
What: a random token is registered for a card; then six changes.
Must be true: Apple disconnects a sender that goes on with such tokens: each is tried once.
Bound: one refusal.
"""

import asyncio

from attacks.tokens import registration
from client import event, order
from stage import Finding

IS_SHORT = True
CHANGES = 6


async def run(stage):
    shop = stage.client(stage.key("bad-token"))
    await shop.post("/v1/events", order("bad-0", "bad-order"))
    before = await _refused(stage)
    answer = await shop.post("/v1/activities/bad-order/registrations",
                             registration(stage, stage.bundle, 0))
    assert answer.status == 201, answer.body
    for number in range(CHANGES):
        await asyncio.sleep(0.4)
        await shop.post("/v1/events", event(
            f"bad-{number + 1}", "bad-order", "PizzaDelivery.DriverAssigned",
            {"driverName": f"Driver {number}"}))
    await asyncio.sleep(1)
    pushed = await _refused(stage) - before
    await shop.close()
    return [Finding("pushed to, in spite of BadDeviceToken", f"{pushed} times", "once",
                    pushed == 1)]


async def _refused(stage):
    pushes = await asyncio.to_thread(stage.simulator.ask, "/pushes")
    return pushes["refused"].get("BadDeviceToken", 0)
