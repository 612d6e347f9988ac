"""A token that Apple does not know, and one that is for something else.

Who: the holder of a tenant's key, who does not know better.
What: a random token, and the push-to-start token of a phone, are registered as cards; then six
changes.
Must hold: Apple disconnects whoever goes on sending to such tokens: each is tried once.
Bound: one refusal each.
"""

import asyncio

from attacks.tokens import registration
from client import event, order
from stage import Finding

IS_SHORT = True
CHANGES = 6


async def run(stage):
    shop = stage.client(stage.key("bad-token"))
    bundle = stage.bundle
    phone = await asyncio.to_thread(stage.simulator.ask, "/phones", {"name": "Bob"})
    start = await asyncio.to_thread(
        stage.simulator.ask, f"/phones/{phone['id']}/start-tokens", {"kind": "PizzaDelivery"})
    unknown = registration(stage, bundle, 0)
    other = dict(registration(stage, bundle, 1), pushToken=start["pushToken"])
    found = []
    for name, body in (("BadDeviceToken", unknown), ("DeviceTokenNotForTopic", other)):
        activity = f"bad-token-{name}"
        await shop.post("/v1/events", order(f"{name}-0", activity))
        before = await _refused(stage, name)
        answer = await shop.post(f"/v1/activities/{activity}/registrations", body)
        assert answer.status == 201, answer.body
        for number in range(CHANGES):
            await asyncio.sleep(0.4)
            await shop.post("/v1/events", event(
                f"{name}-{number + 1}", activity, "PizzaDelivery.DriverAssigned",
                {"driverName": f"Driver {number}"}))
        await asyncio.sleep(1)
        pushed = await _refused(stage, name) - before
        found.append(Finding(f"pushed to, in spite of {name}", f"{pushed} times", "once",
                             pushed == 1))
    await shop.close()
    return found


async def _refused(stage, reason):
    pushes = await asyncio.to_thread(stage.simulator.ask, "/pushes")
    return pushes["refused"].get(reason, 0)
