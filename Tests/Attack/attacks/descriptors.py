"""A client that can connect uses up the server's descriptors.

Who: anonymous.
What: a server that may have 1,024 descriptors gets 1,200 connections. Those who got through ask
with keys that do not exist, so that more connections to the database are wanted, while one to three
descriptors at a time become free.
Must be true: the process lives, connected clients are answered, and as soon as the attacker has
gone everybody is.
Bound: 5 s from then on.
"""

import asyncio
import contextlib
import os
import socket

from client import HOSTILE, OTHER, Client, event, head
from stage import Finding, Watch, healthy_after

IS_SHORT = False
DESCRIPTORS = 1_024
CONNECTIONS = 1_200
ASKING = 60
# Descriptors that a server has beside its clients', about.
BESIDES = 45


async def run(stage):
    rounds = stage.seconds(12, 4)
    prefix = ("prlimit", f"--nofile={DESCRIPTORS}:{DESCRIPTORS}")
    server = await asyncio.to_thread(
        lambda: stage.another(prefix=prefix, roles=("api",)).__enter__())
    try:
        async with Watch(server, probes=False) as watch:
            opened = await _fill(server.port, CONNECTIONS)
            _leave_out(server, opened)
            for _ in range(rounds):
                for one in [opened.pop() for _ in range(stage.chance.randint(1, 3))
                             if len(opened) > ASKING]:
                    one.close()
                # Long enough for the server to see it, and before anybody else comes.
                await asyncio.sleep(0.05)
                await _ask(stage, opened)
                opened += await _fill(server.port, 5)
                if server.process.poll() is not None:
                    break
            for one in opened:
                one.close()
            if server.process.poll() is not None:
                return [Finding("the server's life", f"ended with {server.process.returncode}",
                                "lives", False)]
            took = await asyncio.to_thread(healthy_after, server, 10)
            client = Client(server.port, server.key, OTHER)
            answer = await client.post("/v1/events", event("descriptors-1", "order-1"))
            await client.close()
            status = answer.status if answer else None
            return [
                Finding("well after the attacker has gone",
                        "never" if took is None else f"after {took:.1f} s", "≤ 5 s",
                        took is not None and took <= 5),
                Finding("a post afterwards", str(status), "201", status == 201),
            ] + (await watch.findings())[:1]
    finally:
        with contextlib.suppress(OSError):
            server.__exit__()


async def _fill(port, count):
    """Connections that got through; none is left for the server to take on later."""
    opened = []
    for _ in range(count):
        one = socket.socket()
        one.setblocking(False)
        one.bind((HOSTILE, 0))
        with contextlib.suppress(BlockingIOError, OSError):
            one.connect(("127.0.0.1", port))
        opened.append(one)
        if len(opened) % 100 == 0:
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.3)
    return opened


def _leave_out(server, opened):
    """Those that wait to be taken on would take what becomes free."""
    taken = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    spare = max(0, CONNECTIONS - (DESCRIPTORS - BESIDES))
    if taken >= DESCRIPTORS - 2:
        for one in opened[len(opened) - spare:]:
            one.close()
        del opened[len(opened) - spare:]


async def _ask(stage, opened):
    """Keys that no database has, from connections that were taken on early."""
    for one in opened[:ASKING]:
        key = "".join(stage.chance.choice("0123456789abcdef") for _ in range(43))
        with contextlib.suppress(OSError):
            one.send(head("GET", "/v1/activities", f"islet_{key}"))
    await asyncio.sleep(0.2)
    for one in opened[:ASKING]:
        with contextlib.suppress(OSError):
            one.recv(65_536)
