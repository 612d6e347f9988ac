"""Tokens that no phone has, with one ticket.

Who: the owner of one ticket.
What: 25 random tokens every three seconds; then as many registrations as go.
Must be true: another customer's phone still gets its pushes, and what one ticket may
register has an end.
Bound: a push arrives within 5 s of its event; 200 registrations with one ticket.
"""

import asyncio
import time

from client import event, order
from stage import Finding, percentile

IS_SHORT = False
TOKENS = 25
EVERY_SECONDS = 3
ARRIVAL_SECONDS_MAX = 5
GIVEN_UP_SECONDS = 12
REGISTRATIONS_MAX = 200
TRIED = 400


async def run(stage):
    shop = stage.client(stage.key("pushes"))
    attacked = "tokens-attacker"
    await shop.post("/v1/events", order("tokens-1", attacked))
    phone = stage.client(await stage.ticket(shop.key, attacked))
    bundle = stage.bundle
    task = asyncio.create_task(_register(stage, phone, attacked, bundle))
    try:
        waits = await _pushes(stage, shop, bundle, stage.seconds(25, 8))
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    late = sum(wait > ARRIVAL_SECONDS_MAX for wait in waits)
    found = [Finding(
        "pushes of another customer that were late",
        f"{late} of {len(waits)}, slowest {max(waits):.1f} s, p50 {percentile(waits, 50):.1f} s",
        f"0 over {ARRIVAL_SECONDS_MAX} s", late == 0)]
    taken, asked, took = await _flood(stage, phone, attacked, bundle)
    found.append(Finding(
        "registrations with one ticket", f"{taken} of {asked} in {took:.0f} s",
        f"≤ {REGISTRATIONS_MAX}", taken <= REGISTRATIONS_MAX))
    await shop.close()
    await phone.close()
    return found


def registration(stage, bundle, number):
    return {"pushToken": f"{stage.chance.getrandbits(640):0160x}", "environment": "sandbox",
            "bundleId": bundle, "installation": f"attack-{number}-{stage.chance.getrandbits(40)}"}


async def _register(stage, phone, activity, bundle):
    while True:
        for number in range(TOKENS):
            await phone.post(f"/v1/activities/{activity}/registrations",
                             registration(stage, bundle, number))
        await asyncio.sleep(EVERY_SECONDS)


async def _pushes(stage, shop, bundle, seconds):
    """How long each change takes to the phone of a customer who has done nothing."""
    made = await asyncio.to_thread(
        stage.simulator.ask, "/phones", {"name": "Ann", "kind": "PizzaDelivery",
                                         "activity": "tokens-other", "frequentUpdates": True})
    await shop.post("/v1/events", order("tokens-2", "tokens-other"))
    answer = await shop.post("/v1/activities/tokens-other/registrations", {
        "pushToken": made["pushToken"], "environment": "sandbox", "bundleId": bundle,
        "installation": "ann"})
    assert answer.status in (200, 201), answer.body
    waits = []
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        await asyncio.sleep(1)
        number += 1
        before = await _accepted(stage)
        await shop.post("/v1/events", event(
            f"tokens-driver-{number}", "tokens-other", "PizzaDelivery.DriverAssigned",
            {"driverName": f"Driver {number}"}))
        began = time.monotonic()
        while await _accepted(stage) == before and time.monotonic() - began < GIVEN_UP_SECONDS:
            await asyncio.sleep(0.05)
        waits.append(time.monotonic() - began)
    return waits


async def _accepted(stage):
    """Pushes that Apple took: the customer's, for the attacker's tokens are nobody's."""
    return (await asyncio.to_thread(stage.simulator.ask, "/pushes"))["accepted"]


async def _flood(stage, phone, activity, bundle):
    began = time.monotonic()
    taken = 0
    for number in range(TRIED):
        answer = await phone.post(f"/v1/activities/{activity}/registrations",
                                  registration(stage, bundle, number))
        taken += answer is not None and answer.status == 201
    return taken, TRIED, time.monotonic() - began
