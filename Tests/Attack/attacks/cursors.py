"""A client that may read asks for places that no list has.

Who: the owner of a key with `activities:read`, and one with `admin` for what takes bodies.
What: every parameter of every route, one after the other, as a number, a time or a cursor at and
beyond the ends of what 64 bits can have; the cursors of real answers with such numbers put into them;
the same in bodies.
Must be true: each is answered, by no 5xx, and the process lives.
Bound: none ends the process, none is answered by a 5xx or not at all.
"""

import asyncio
import json
import re

from client import event, order
from stage import Crashed, Finding

IS_SHORT = True
# One crash says enough about its route; the others are to be seen, too.
CRASHES_MAX = 4
NUMBERS = [
    "-9223372036854775808", "9223372036854775807", "-9223372036854775809", "9223372036854775808",
    "18446744073709551616", "-1", "0", "9223372036854775", "-9223372036854776", "9" * 400,
    "1e308", "0x10", "٣", "+1", " 1", "",
]
TIMES = [
    "9999-12-31T23:59:59.999999999Z", "0000-00-00T00:00:00Z", "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59", "292278994-08-17T07:12:55Z", "-290308-12-21T19:59:06Z",
    "1970-01-01T00:00:00+99:99", "2026-02-30T25:61:61Z",
]
# What a path or a query has to have for the route to look at the rest.
USUAL = {"id": "cursor-order", "kind": "PizzaDelivery", "type": "PizzaDelivery.OrderPlaced",
         "installation": "phone", "bundleId": "dev.islet.demo", "webhookId": "1",
         "letterId": "push-1", "name": "overloaded", "asset": "dashboard.js"}
CARRIERS = ("push", "start", "webhook")
NO_ANSWER_YET = {"wait"}


async def run(stage):
    client = stage.client(stage.key("cursors", "admin"))
    await client.post("/v1/events", order("cursor-1", "cursor-order"))
    await client.post("/v1/events", event("cursor-2", "cursor-order"))
    document = (await client.request("GET", "/openapi.json")).json()
    targets = list(_targets(document)) + await _found(client)
    if stage.is_short:
        stage.chance.shuffle(targets)
        # What ended the process once comes first.
        targets = [f"/v1/dead-letters?after={number}_push-1" for number in NUMBERS] + targets[:700]
    questions = [("GET", target, None, "activities:read") for target in targets]
    questions += [("POST", target, body, "admin") for target, body in _bodies()]
    return await _ask(stage, questions)


async def _ask(stage, questions):
    crashes, errors, silent, asked = [], [], [], 0
    clients = {}
    for method, target, body, scope in questions:
        if scope not in clients:
            clients[scope] = stage.client(stage.key("cursors", scope))
        client = clients[scope]
        answer = await client.request(
            method, target, body, {"Content-Type": "application/json"} if body else None,
            head_only="stream" in target, seconds=5)
        asked += 1
        shown = f"{method} {target[:70]}"
        try:
            if answer is None:
                # A process that traps says why before it ends.
                await asyncio.to_thread(stage.wait_for_end, 3)
            stage.check_life()
        except Crashed:
            crashes.append(shown)
            stage.ready()
            clients = {}
            if len(crashes) == CRASHES_MAX:
                break
            continue
        if answer is None:
            silent.append(shown)
        elif answer.status >= 500:
            errors.append(f"{answer.status} {shown}")
    for line in crashes + errors + silent:
        print(f"  {line}")
    return [
        Finding("requests that ended the process", f"{len(crashes)} of {asked}"
                + (f" ({crashes[0]})" if crashes else ""), "0", not crashes),
        Finding("answers of 5xx", f"{len(errors)} of {asked}", "0", not errors),
        Finding("without an answer", f"{len(silent)} of {asked}", "0", not silent)]


def _targets(document):
    """Each route with each of its parameters at each place."""
    for path, methods in document["paths"].items():
        if "get" not in methods:
            continue
        shared = methods.get("parameters", []) + methods["get"].get("parameters", [])
        names = [_parameter(document, one) for one in shared]
        for name, place in names:
            if place == "header":
                continue
            for value in _values(name):
                used = dict(USUAL, **({name: value} if place == "path" else {}))
                target = re.sub(r"\{(\w+)\}", lambda match: _escaped(used[match[1]]), path)
                yield target + (f"?{name}={_escaped(value)}" if place == "query" else "")


def _parameter(document, parameter):
    if "$ref" in parameter:
        parameter = document["components"]["parameters"][parameter["$ref"].split("/")[-1]]
    return parameter["name"], parameter["in"]


def _values(name):
    numbers = [number for number in NUMBERS if name not in NO_ANSWER_YET or len(number) > 3]
    if name == "after":
        numbers = numbers + [
            f"{number}_{carrier}-{second}" for carrier in CARRIERS
            for number, second in [(one, "1") for one in NUMBERS] + [("1", one) for one in NUMBERS]]
    if name == "letterId":
        numbers = [f"{carrier}-{number}" for carrier in CARRIERS for number in NUMBERS]
    return numbers + TIMES


async def _found(client):
    """Cursors of real answers with each number exchanged."""
    found = []
    for target in ("/v1/activities?limit=1", "/v1/events?limit=1",
                   "/v1/activities?limit=1&updatedSince=2020-01-01T00:00:00Z",
                   "/v1/activities/cursor-order/events?limit=1",
                   "/v1/activities/cursor-order/decisions?limit=1", "/v1/dead-letters?limit=1"):
        answer = await client.request("GET", target)
        following = answer.json().get("next") if answer and answer.status == 200 else None
        for match in re.finditer(r"\d+", following or ""):
            found += [following[:match.start()] + _escaped(number) + following[match.end():]
                      for number in NUMBERS]
    return found


def _bodies():
    numbers = [-2**63, 2**63 - 1, 2**63, -2**63 - 1, 10**400, 1e308, -1, 0.5]
    for number in numbers:
        text = "9" * 400 if number == 10**400 else json.dumps(number)
        for name in ("schemaversion", "expectedversion"):
            whole = json.dumps(dict(event("cursor-3", "cursor-order"), **{name: 0}))
            yield "/v1/events", whole.replace(f'"{name}": 0', f'"{name}": {text}').encode()
        whole = json.dumps(event("cursor-4", "cursor-order", data={"distanceMeters": 0}))
        yield "/v1/events", whole.replace('Meters": 0', f'Meters": {text}').encode()
        yield "/v1/activities/cursor-order/tickets", f'{{"ttlSeconds":{text}}}'.encode()
        yield ("/v1/activities/cursor-order/registrations",
               f'{{"pushToken":"00ff","environment":"sandbox","bundleId":"a.b","osMajor":{text}}}'
               .encode())
        yield "/v1/webhooks/1/secret", f'{{"overlapSeconds":{text}}}'.encode()
        yield f"/v1/dead-letters/push-{text}/retry", b"{}"
    for time in TIMES:
        yield "/v1/events", json.dumps(dict(event("cursor-5", "cursor-order"), time=time)).encode()
        placed = order("cursor-6", "cursor-order-2")
        placed["data"]["promisedAt"] = time
        yield "/v1/events", json.dumps(placed).encode()


def _escaped(text):
    return "".join(
        chr(byte) if chr(byte).isalnum() and byte < 128 or chr(byte) in "-_.~" else f"%{byte:02X}"
        for byte in str(text).encode())
