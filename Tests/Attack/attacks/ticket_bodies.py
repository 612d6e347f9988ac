"""Large bodies from a phone, and from nobody.

Who: the owner of one ticket; then anonymous.
What: twelve connections each send a body of almost a megabyte, of small nested values, to a route
that wants a hundred bytes, without a pause.
Must be true: reading them does not stop the loop for others.
Bound: none of another tenant's posts refused or unanswered; p99 within 3 × of idle, or 50 ms.
"""

import asyncio

from client import order
from stage import Finding, turn_about

IS_SHORT = False
CONNECTIONS = 12
BODY = b'{"pushToken":[' + b",".join([b'{"a":[1,"b",{}]}'] * 55_000) + b"]}"


async def run(stage):
    owner = stage.client(stage.key("large-bodies"))
    await owner.post("/v1/events", order("large-1", "large-order"))
    ticket = await stage.ticket(owner.key, "large-order")
    await owner.close()
    found = []
    attackers = [("ticket", ticket), ("anonymous", None)]
    for who, key in attackers[:1] if stage.is_short else attackers:
        statuses = {}

        async def post():
            client = stage.client(key)
            try:
                while True:
                    answer = await client.post("/v1/activities/large-order/registrations", BODY)
                    status = answer.status if answer else 0
                    statuses[status] = statuses.get(status, 0) + 1
                    # A client that is cut off has to connect again, which costs it something.
                    await asyncio.sleep(0.02 if status == 0 else 0)
            finally:
                await client.close()

        async def attack():
            await asyncio.gather(*(post() for _ in range(CONNECTIONS)))

        rows = await turn_about(stage, attack, stage.seconds(3, 1), stage.seconds(3, 2),
                                stage.seconds(4, 2))
        found += [Finding(f"{who}: {row.what}", row.measured, row.bound, row.passed) for row in rows]
        found.append(Finding(f"{who}: answers to the attacker", str(statuses), "no 201",
                             bool(statuses) and 201 not in statuses))
    return found
