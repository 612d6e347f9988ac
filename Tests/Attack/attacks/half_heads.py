"""Half a head on each of 9,000 connections.

Who: anonymous, from one address.
What: 9,000 connections send half a head each and nothing more; those that are cut come again.
Must be true: clients from another address, each with a fresh connection, are served.
Bound: none refused or unanswered; p99 within 3 × of idle, or 50 ms.
"""

import asyncio
import contextlib
import os
import select
import socket

from client import HOSTILE
from stage import Finding, turn_about

IS_SHORT = True
CONNECTIONS = 9_000
# As many as the kernel keeps for a server that has other things to do for a moment.
AT_ONCE = 250
HALF = b"GET /v1/activities HTTP/1.1\r\nHost: a\r\nX-Half: "


async def run(stage):
    peak = [0]
    found = await turn_about(
        stage, lambda: _keep_open(stage.server, peak), stage.seconds(2, 1), stage.seconds(2, 1),
        stage.seconds(12, 4), mode="fresh", rate=20)
    return found + [Finding("connections that the attacker had", str(peak[0]), "> 0",
                            peak[0] > 0)]


async def _keep_open(server, peak):
    opened = {}
    events = select.epoll()
    try:
        while True:
            for _ in range(min(AT_ONCE, CONNECTIONS - len(opened))):
                one = socket.socket()
                one.setblocking(False)
                one.bind((HOSTILE, 0))
                with contextlib.suppress(BlockingIOError, OSError):
                    one.connect(("127.0.0.1", server.port))
                opened[one.fileno()] = one
                events.register(one, select.EPOLLOUT)
            await asyncio.sleep(0.02)
            for number, _ in events.poll(0, CONNECTIONS):
                if not _goes_on(events, opened[number]):
                    opened.pop(number).close()
            with contextlib.suppress(OSError):
                peak[0] = max(peak[0], len(os.listdir(f"/proc/{server.process.pid}/fd")))
    finally:
        events.close()
        for one in opened.values():
            one.close()


def _goes_on(events, one):
    """Sends the half once there is a connection; false when it was cut."""
    try:
        if one.fileno() >= 0 and one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            return False
        if not one.recv(512):
            return False
    except BlockingIOError:
        with contextlib.suppress(BlockingIOError):
            one.send(HALF)
            events.modify(one, select.EPOLLIN)
    except OSError:
        return False
    return True
