"""Two spellings that look the same.

Who: the owner of a tenant's key, and of a ticket.
What: café with the accent in one character and in two, as an activity, an event's id, a tenant.
Must be true: each is the same in Islet and in Postgres: either the second is refused at the door, or
it is another activity, with versions and tickets of its own; `replay verify` finds nothing.
Bound: no difference.
"""

import asyncio
import json

from client import event, order
from stage import Finding

IS_SHORT = True
ONE, TWO = "caf\u00e9", "cafe\u0301"


async def run(stage):
    tenant = "identity"
    client = stage.client(stage.key(tenant))
    found = []
    posted = {}
    for name, subject in (("composed", ONE), ("decomposed", TWO)):
        answer = await client.post("/v1/events", order(f"identity-{name}", subject))
        posted[name] = answer
    refused = posted["decomposed"].status in (400, 422)
    if refused:
        found.append(Finding("the decomposed subject", f"refused ({posted['decomposed'].status})",
                             "refused, or version 1", True))
    else:
        version = posted["decomposed"].json()["events"][0]["version"]
        found.append(Finding("the decomposed subject's first version", str(version),
                             "refused, or version 1", version == 1))
        await asyncio.sleep(1)
        statuses = []
        for subject in (ONE, TWO):
            answer = await client.request("GET", f"/v1/activities/{_escaped(subject)}")
            statuses.append(answer.status if answer else 0)
        found.append(Finding("reading both", str(statuses), "[200, 200]", statuses == [200, 200]))
    ticket = await stage.ticket(client.key, _escaped(ONE))
    phone = stage.client(ticket)
    answer = await phone.request("GET", f"/v1/activities/{_escaped(TWO)}")
    status = answer.status if answer else 0
    found.append(Finding("a ticket of one for the other", str(status), "403 or 400",
                         status in (400, 403, 422)))
    found += await _ids(client)
    verified = await asyncio.to_thread(stage.run_islet, "replay", "verify", "--tenant", tenant)
    found.append(Finding("replay verify", f"ends with {verified.returncode}", "0",
                         verified.returncode == 0))
    found.append(await asyncio.to_thread(_tenants, stage))
    await client.close()
    await phone.close()
    return found


async def _ids(client):
    """Together with its source an id says which event is meant: other bytes, another event."""
    batch = [event(f"{word}-id", "identity-order") for word in (ONE, TWO)]
    answer = await client.request(
        "POST", "/v1/events?partial=true", _json(batch), {"Content-Type": "application/json"})
    if answer is None or answer.status >= 500:
        return [Finding("ids in one batch", str(answer and answer.status), "no 5xx", False)]
    outcomes = [row.get("outcome") for row in answer.json().get("events", [])]
    good = outcomes in (["recorded", "recorded"], ["recorded", "refused"])
    return [Finding("ids in one batch", str(outcomes or answer.status), "two, or one refused",
                    good or answer.status in (400, 422))]


def _tenants(stage):
    made = [stage.run_islet("tenants", "create", f"shop-{word}").returncode for word in (ONE, TWO)]
    listed = stage.run_islet("tenants", "list").stdout
    bytes_listed = sum(f"shop-{word} " in f"{listed} " or f"shop-{word}\n" in listed
                       for word in (ONE, TWO))
    good = made == [0, 0] and bytes_listed == 2 or made[0] == 0 and made[1] != 0
    return Finding("two tenants", f"ends with {made}, {bytes_listed} listed",
                   "two listed, or one refused", good)


def _escaped(text):
    return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in text.encode())


def _json(value):
    return json.dumps(value, ensure_ascii=False).encode()
