#!/usr/bin/env python3
"""Merchants, followers and phones, in a process of their own; told what to do on standard input:

    {"ports": [of the nodes], "key", "control": port of the simulator, "orders": {id: phone},
     "eventsPerSecond", "seed"}

Each order's events are reported one after the other, each with an id of its own that is repeated
until it is acknowledged, on kept connections, with another node after a failure. Their distances
count up, so that a phone's state says which event it knows. Prints, with monotonic seconds:

    ack T ORDER NUMBER POSITION ID      no T REASON        fold T POSITION
    push T ACCEPTED                     show T ORDER NUMBER

SIGTERM lets every order have its last event acknowledged, and ends.
"""

import asyncio
import contextlib
import datetime
import json
import pathlib
import random
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Attack"))

from client import Client, head, read_head  # noqa: E402

# As long as ordinary clients wait for an answer; the server's own 503 comes sooner.
ANSWER_SECONDS_MAX = 10
RETRY_SECONDS = 0.2
LOOK_SECONDS = 0.2
# The server sends a comment after 15 silent seconds.
SILENT_SECONDS_MAX = 20
METERS = 100


def say(*words):
    print(*words, flush=True)


def now():
    return f"{time.monotonic():.4f}"


class Merchant:
    """Reports one order's events."""

    def __init__(self, order, wish, chance):
        self.order, self.key, self.ports, self.chance = order, wish["key"], wish["ports"], chance
        self.pause = len(wish["orders"]) / wish["eventsPerSecond"]
        self.port = chance.choice(self.ports)
        self.client = Client(self.port, self.key)

    async def work(self, stopping):
        await asyncio.sleep(self.chance.uniform(0, self.pause))
        number = 0
        # The last one is reported when all else is over, for the phone to show in the end.
        while not stopping.is_set():
            number += 1
            began = time.monotonic()
            await self._report(number)
            rest = self.pause - (time.monotonic() - began)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stopping.wait(), max(0, rest))
        await self._report(number + 1)
        await self.client.close()

    async def _report(self, number):
        ident = f"{self.order}-{number}"
        body = json.dumps(located(ident, self.order, number * METERS)).encode()
        while True:
            answer = await self.client.post("/v1/events", body, seconds=ANSWER_SECONDS_MAX)
            if answer and answer.status in (200, 201):
                position = answer.json()["events"][0]["position"]
                say("ack", now(), self.order, number, position, ident)
                return
            say("no", now(), reason(answer))
            await self._try_elsewhere(answer)

    async def _try_elsewhere(self, answer):
        """Waits as long as the server asks for, and goes to the next node."""
        wished = float(answer.fields.get("retry-after", 0)) if answer else 0
        await asyncio.sleep(max(wished, RETRY_SECONDS) + self.chance.uniform(0, RETRY_SECONDS))
        await self.client.close()
        self.port = self.ports[(self.ports.index(self.port) + 1) % len(self.ports)]
        self.client = Client(self.port, self.key)


def reason(answer):
    if answer is None:
        return "unanswered"
    with contextlib.suppress(ValueError, KeyError):
        return f"{answer.status}:{answer.json()['type'].rsplit('/', 1)[1]}"
    return str(answer.status)


def located(ident, order, meters):
    moment = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    return {"specversion": "1.0", "id": ident, "source": "/failover", "subject": order,
            "type": "PizzaDelivery.DriverLocated", "time": moment,
            "data": {"distanceMeters": meters}}


async def follow(port, key):
    """Says when a node tells of changes; comes back when the stream ends or is silent."""
    while True:
        try:
            reader, writer = await asyncio.wait_for(
                asyncio.open_connection("127.0.0.1", port), ANSWER_SECONDS_MAX)
            writer.write(head("GET", "/v1/stream?after=latest", key))
            status, _ = await asyncio.wait_for(read_head(reader), ANSWER_SECONDS_MAX)
            while status == 200:
                line = await asyncio.wait_for(reader.readline(), SILENT_SECONDS_MAX)
                if not line:
                    break
                if line.startswith(b"id:"):
                    say("fold", now(), line[3:].strip().decode())
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError,
                asyncio.TimeoutError):
            pass
        with contextlib.suppress(UnboundLocalError):
            writer.transport.abort()
        await asyncio.sleep(RETRY_SECONDS)


async def watch(control, phones):
    """Looks at what Apple accepted and at what phones show."""
    client = Client(control)
    accepted, shown = 0, {}
    orders = {phone: order for order, phone in phones.items()}
    while True:
        tally = await client.request("GET", "/pushes")
        if tally and tally.json()["accepted"] > accepted:
            accepted = tally.json()["accepted"]
            say("push", now(), accepted)
        answer = await client.request("GET", "/phones")
        for phone in answer.json() if answer else []:
            meters = phone["activities"][0]["contentState"].get("distanceMeters", 0)
            order = orders[phone["id"]]
            if meters != shown.get(order, 0):
                shown[order] = meters
                say("show", now(), order, meters // METERS)
        await asyncio.sleep(LOOK_SECONDS)


async def main(wish):
    chance = random.Random(wish["seed"])
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    watching = [asyncio.create_task(follow(port, wish["key"])) for port in wish["ports"]]
    watching.append(asyncio.create_task(watch(wish["control"], wish["orders"])))
    merchants = [Merchant(order, wish, chance) for order in wish["orders"]]
    await asyncio.gather(*(merchant.work(stopping) for merchant in merchants))
    say("over", now())
    # Until the phones have been told of the last event, and somebody ends this.
    await asyncio.gather(*watching)


if __name__ == "__main__":
    try:
        asyncio.run(main(json.load(sys.stdin)))
    except (KeyboardInterrupt, BrokenPipeError):
        pass
