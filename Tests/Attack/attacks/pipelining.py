"""A client that can connect sends requests for ever, and lets one always wait.

Who: anonymous.
What: four connections ask for the health with large heads, five or twenty at a time, and
send another for each answer: not so many that the server stops reading, and never so few that none
is waiting.
Must be true: what a connection keeps does not grow with what it has sent.
Bound: 16 MB for all of them, and other clients are answered.
"""

import asyncio
import contextlib
import os

from client import HOSTILE
from stage import Finding, end

IS_SHORT = True
GROWTH_MB_MAX = 16
CONNECTIONS = 4
# Together a little less than a server may take ahead (ServerLimits.pipelinedBytesMax).
# Fewer and larger ones make it grow faster, more and smaller ones are not all answered at once.
WAITING = {12_000: 5, 3_000: 20}


async def run(stage):
    sent = [0]
    # A client that is slower than the server lets nothing wait.
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    tasks = [asyncio.create_task(_send(stage.port, size, sent))
             for size in WAITING for _ in range(CONNECTIONS // 2)]
    await asyncio.sleep(stage.seconds(30, 6))
    await end(tasks)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    return [Finding("sent", f"{sent[0] / 1e6:.0f} MB", "> 0", sent[0] > 0)]


async def _send(port, size, sent):
    request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + b"x" * size + b"\r\n\r\n"
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=(HOSTILE, 0))
            try:
                answers = WAITING[size]
                while answers:
                    writer.write(request * answers)
                    sent[0] += answers * len(request)
                    answers = 0
                    while not answers and (part := await reader.read(1 << 16)):
                        answers = part.count(b"HTTP/1.1 ")
            finally:
                writer.transport.abort()
        await asyncio.sleep(0.1)
