#!/usr/bin/env python3
"""Another tenant at its usual work, in a process of its own so that it measures the server and not
the attacker's interpreter:

    victim.py PORT kept|fresh RATE plain|tls     with the key on standard input

Posts single events at an even rate from an address of its own, each on the kept connection or on a
fresh one, and prints for each: when it was sent (monotonic seconds), how long it took (ms) and the
status, 0 when no answer came.
"""

import asyncio
import os
import ssl
import sys
import time
import uuid

from client import OTHER, Client, event

# What waits longer has not been answered.
SECONDS_MAX = 5
# Late answers do not keep the next request from being sent: a client that waits for each answer
# measures one slow answer where many would have been slow.
UNDER_WAY_MAX = 64


async def main(port, mode, rate, kind, key):
    tls = ssl._create_unverified_context() if kind == "tls" else None
    run = uuid.uuid4().hex[:8]
    idle = []
    under_way = set()

    async def post(number):
        client = idle.pop() if idle else Client(port, key, OTHER, tls)
        began = time.monotonic()
        answer = await client.post(
            "/v1/events", event(f"{run}-{number}", f"victim-{run}"), seconds=SECONDS_MAX)
        took = (time.monotonic() - began) * 1_000
        print(f"{began:.4f} {took:.2f} {answer.status if answer else 0}", flush=True)
        if mode == "fresh":
            await client.close()
        else:
            idle.append(client)

    start = time.monotonic()
    number = 0
    while True:
        await asyncio.sleep(max(0, start + number / rate - time.monotonic()))
        number += 1
        if len(under_way) < UNDER_WAY_MAX:
            task = asyncio.create_task(post(number))
            under_way.add(task)
            task.add_done_callback(under_way.discard)


if __name__ == "__main__":
    try:
        # It stands for clients on other machines, which the attack does not keep from running.
        os.nice(-5)
    except OSError:
        pass
    try:
        asyncio.run(main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4],
                         sys.stdin.read()))
    except (KeyboardInterrupt, BrokenPipeError):
        pass
