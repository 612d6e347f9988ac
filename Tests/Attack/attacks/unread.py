"""Answers that nobody reads, over HTTP/1.

Who: anonymous, from one address.
What: 1,000 connections ask for the largest page there is, twenty times ahead, and read nothing. Their
packets are as small as on a real line, so that the kernel does not take the answers.
Must be true: an answer is not copied for each connection, and the connections end.
Bound: 128 KiB for each; closed within 30 s (a client has 20 to read); others are answered.
"""

import asyncio
import os
import socket
import time

from client import HOSTILE
from stage import Finding, resident_mb

IS_SHORT = False
GROWTH_MB_MAX = 160
CONNECTIONS = 1_000
KIB_MAX = 128
SECONDS_MAX = 30
# Those of others that come meanwhile.
SPARE = 20
REQUESTS = b"GET /openapi.json HTTP/1.1\r\nHost: attack\r\n\r\n" * 20


async def run(stage):
    process = stage.server.process.pid
    before, places = resident_mb(process), _descriptors(process)
    began = time.monotonic()
    opened = []
    try:
        await asyncio.to_thread(_open, stage.port, opened)
        await asyncio.sleep(5)
        each = (resident_mb(process) - before) * 1_000 / max(1, len(opened))
        waiting = _descriptors(process) - places
        while (left := _descriptors(process) - places) > SPARE:
            if time.monotonic() - began > SECONDS_MAX:
                break
            await asyncio.sleep(0.2)
        return [
            Finding("connections that wait", str(waiting), f"≥ {CONNECTIONS - SPARE}",
                    waiting >= CONNECTIONS - SPARE),
            Finding("memory of each", f"{each:.0f} KiB", f"≤ {KIB_MAX} KiB", each <= KIB_MAX),
            Finding("connections left", f"{max(0, left)} after {time.monotonic() - began:.0f} s",
                    f"≤ {SPARE} within {SECONDS_MAX} s", left <= SPARE),
        ]
    finally:
        for client in opened:
            client.close()


def _open(port, opened):
    for _ in range(CONNECTIONS):
        client = socket.socket()
        opened.append(client)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1_000)
        client.bind((HOSTILE, 0))
        client.connect(("127.0.0.1", port))
        client.sendall(REQUESTS)


def _descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))
