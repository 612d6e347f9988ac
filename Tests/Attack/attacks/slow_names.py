"""A webhook whose name takes long to look up.

Who: the owner of a tenant's key with `admin`.
What: a name server that answers nobody, so that looking a name up takes 40 s; eight webhooks have
such names. The server sees that name server in a mount namespace of its own, which takes root.
Must be true: another tenant's webhook gets each change.
Bound: within 5 s.
"""

import asyncio
import os
import shutil
import socket

from attacks import webhook_answers
from client import order
from stage import Finding, Watch

IS_SHORT = False
TOLD_SECONDS_MAX = 5
RESOLVER = "127.0.0.153"
WEBHOOKS = 8


async def run(stage):
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return [Finding("the attack", "left out: it takes root and unshare", "–", True)]
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        listening.bind((RESOLVER, 53))
    except OSError as error:
        return [Finding("the attack", f"left out: {error}", "–", True)]
    with listening:
        file = stage.output / "resolv.conf"
        file.write_text(f"nameserver {RESOLVER}\noptions timeout:20 attempts:2\n")
        prefix = ("unshare", "-m", "--propagation", "private", "sh", "-c",
                  f'mount --bind {file} "$(readlink -f /etc/resolv.conf)" && exec "$0" "$@"')
        server = await asyncio.to_thread(
            lambda: stage.another(options=stage.options, prefix=prefix).__enter__())
        try:
            return await _measure(stage, server)
        finally:
            await asyncio.to_thread(server.__exit__)


async def _measure(stage, server):
    told = asyncio.Queue()
    good = await asyncio.start_server(webhook_answers.teller(told), "127.0.0.1", 0)
    before, stage.server = stage.server, server
    keys, stage._keys = stage._keys, {}
    try:
        await webhook_answers.add(stage, "names-good", good.sockets[0].getsockname()[1])
        slow = stage.key("names-slow")
        for number in range(WEBHOOKS):
            await asyncio.to_thread(
                stage.run_islet, "webhooks", "add", "--tenant", "names-slow", "--url",
                f"http://slow-{number}.attack.example/", "--master-key-file",
                str(stage.output / "master.key"), "--webhook-allow-private", check=True)
        async with Watch(server) as watch:
            found = await _tell(stage, told, stage.client(slow),
                                stage.client(stage.key("names-good")))
            return [found] + await watch.findings()
    finally:
        good.close()
        stage.server, stage._keys = before, keys


async def _tell(stage, told, slow, shop):
    waits = []
    for number in range(8):
        await slow.post("/v1/events", order(f"slow-{number}", f"slow-{number}"))
        while not told.empty():
            told.get_nowait()
        await shop.post("/v1/events", order(f"good-{number}", f"good-{number}"))
        began = asyncio.get_running_loop().time()
        try:
            await asyncio.wait_for(told.get(), 30)
        except asyncio.TimeoutError:
            pass
        waits.append(asyncio.get_running_loop().time() - began)
        if sum(waits) > 40:
            break
        await asyncio.sleep(2.5)
    late = sum(wait > TOLD_SECONDS_MAX for wait in waits)
    return Finding("messages to another tenant that were late",
                   f"{late} of {len(waits)}, slowest {max(waits):.1f} s",
                   f"0 over {TOLD_SECONDS_MAX} s", late == 0)
