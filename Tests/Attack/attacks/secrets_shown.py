"""Passwords where others read them, and tickets of a key that is revoked.

Who: anyone who reads logs, a terminal or the list of processes; the owner of a ticket.
What: database URLs with a password and a mistake; the help is asked for a way that keeps the
password from the command line; a key is revoked whose ticket somebody has.
Must be true: no password is printed, and the ticket dies with its key.
Bound: never; the ticket within 10 s.
"""

import asyncio
import json
import time

from client import order
from stage import Finding

IS_SHORT = True
PASSWORD = "hunter2-geheim"
URLS = [
    "postgresql://islet:{}@db:notaport/islet", "postgresql://islet:{}@[::1/islet",
    "postgresql://islet:{}@db/islet?unknown=1", "postgresql://islet:{}%zz@db/islet",
    "postgresql://islet:{}@db/is let?x", "host=db password={} port=x",
    "postgres//islet:{}@db/islet",
    "postgresql://islet:{}@127.0.0.1:1/islet",
]
REVOKED_SECONDS_MAX = 10
GIVEN_UP_SECONDS = 20


async def run(stage):
    async def ask(url, words):
        done = await asyncio.to_thread(
            stage.run_islet, *words, "--database-url", url.format(PASSWORD), database=False)
        return PASSWORD in done.stdout + done.stderr

    asked = [ask(url, words) for url in URLS for words in (["keys", "list"], ["migrate"])]
    revoked = asyncio.create_task(_revoke(stage))
    shown = sum(await asyncio.gather(*asked))
    help = (await asyncio.to_thread(stage.run_islet, "serve", "--help", database=False)).stdout
    return [
        Finding("messages with the password", f"{shown} of {2 * len(URLS)}", "0", not shown),
        Finding("--database-url-file", "there" if "--database-url-file" in help else "not there",
                "there", "--database-url-file" in help),
        await revoked]


async def _revoke(stage):
    tenant = "revoked"
    key = await asyncio.to_thread(stage.key, tenant)
    client = stage.client(key)
    await client.post("/v1/events", order("revoked-1", "revoked-order"))
    phone = stage.client(await stage.ticket(key, "revoked-order"))
    target = "/v1/activities/revoked-order"
    assert (await phone.request("GET", target)).status in (200, 404)
    listed = await asyncio.to_thread(
        stage.run_islet, "keys", "list", "--tenant", tenant, "--json", check=True)
    number = _last_number(listed.stdout)
    await asyncio.to_thread(stage.run_islet, "keys", "revoke", number, check=True)
    began = time.monotonic()
    status = 0
    while time.monotonic() - began < GIVEN_UP_SECONDS:
        answer = await phone.request("GET", target)
        status = answer.status if answer else 0
        if status == 401:
            break
        await asyncio.sleep(0.25)
    took = time.monotonic() - began
    await client.close()
    await phone.close()
    return Finding("a ticket of a revoked key",
                   f"refused after {took:.1f} s" if status == 401
                   else f"{status} after {took:.0f} s",
                   f"refused within {REVOKED_SECONDS_MAX} s",
                   status == 401 and took <= REVOKED_SECONDS_MAX)


def _last_number(text):
    document = json.loads(text)
    rows = document if isinstance(document, list) else next(
        value for value in document.values() if isinstance(value, list))
    return str(max(row["id"] for row in rows))
