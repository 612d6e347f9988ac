"""Servers that tenants name for webhooks, and that answer as nobody does.

Who: the receiver of a tenant's webhook.
What: an answer without end, one that drips, one with endless header fields, and none at all, for
every message.
Must be true: another tenant's webhook gets each change, and memory stays where it is.
Bound: within 5 s; 64 MB. (Addresses of this machine are allowed for this server only.)
"""

import asyncio
import contextlib
import time

from client import event, order
from stage import Finding

IS_SHORT = False
GROWTH_MB_MAX = 64
TOLD_SECONDS_MAX = 5
GIVEN_UP_SECONDS = 12


async def run(stage):
    servers, ports = [], {}
    for name, answer in ANSWERS.items():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        servers.append(server)
        ports[name] = server.sockets[0].getsockname()[1]
    told = asyncio.Queue()
    good = await asyncio.start_server(teller(told), "127.0.0.1", 0)
    servers.append(good)
    try:
        for name, port in ports.items():
            await add(stage, f"hooks-{name}", port)
        await add(stage, "hooks-good", good.sockets[0].getsockname()[1])
        return [await _measure(stage, told, stage.seconds(20, 7))]
    finally:
        for server in servers:
            server.close()


async def add(stage, tenant, port):
    stage.key(tenant)
    await asyncio.to_thread(
        stage.run_islet, "webhooks", "add", "--tenant", tenant, "--url",
        f"http://127.0.0.1:{port}/", "--master-key-file", str(stage.output / "master.key"),
        "--webhook-allow-private", check=True)


async def _measure(stage, told, seconds):
    hostile = [stage.client(stage.key(f"hooks-{name}")) for name in ANSWERS]
    shop = stage.client(stage.key("hooks-good"))
    waits = []
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        number += 1
        for client in hostile:
            for subject in range(8):
                name = f"{number}-{subject}"
                await client.post("/v1/events", order(f"h-{name}", f"h-{name}"))
        while not told.empty():
            told.get_nowait()
        await shop.post("/v1/events", order(f"g-{number}", f"g-{number}"))
        began = time.monotonic()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(told.get(), GIVEN_UP_SECONDS)
        waits.append(time.monotonic() - began)
        await asyncio.sleep(0.5)
    for client in hostile + [shop]:
        await client.close()
    late = sum(wait > TOLD_SECONDS_MAX for wait in waits)
    return Finding("messages to another tenant that were late",
                   f"{late} of {len(waits)}, slowest {max(waits):.1f} s",
                   f"0 over {TOLD_SECONDS_MAX} s", late == 0)


def teller(queue):
    async def answer(reader, writer):
        with contextlib.suppress(
                OSError, asyncio.CancelledError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                              if line.startswith(b"content-length"))
                await reader.readexactly(length)
                queue.put_nowait(True)
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()
    return answer


async def _endless(reader, writer):
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await reader.read(1 << 16)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            await writer.drain()
            # As much as this process can send would be an attack on itself.
            await asyncio.sleep(0.002)


async def _drip(reader, writer):
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await reader.read(1 << 16)
        for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10_000:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.5)


async def _fields(reader, writer):
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await reader.read(1 << 16)
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-Endless: " + b"y" * 4_000 + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0.002)


async def _silent(reader, writer):
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await reader.read(1 << 16)
        await asyncio.sleep(60)


ANSWERS = {"endless": _endless, "drip": _drip, "fields": _fields, "silent": _silent}
