#!/usr/bin/env python3
"""The network between the machines of the cluster, as TCP proxies that can be cut:

    network.py NAME:PORT:TARGET …      and `cut NAME` or `heal NAME` on standard input

While a machine is cut off, no byte gets through and no connection is closed: new ones are taken,
and nobody answers on them. What was sent meanwhile arrives when the cut is over, as TCP would send
it again. Nobody listens here while nobody listens behind, so that a dead server refuses at once.
"""

import asyncio
import contextlib
import pathlib
import sys

CHUNK_BYTES = 65_536
LOOK_SECONDS = 0.05
LISTENING = "0A"


class Route:
    def __init__(self, is_open, port, target):
        self.is_open, self.port, self.target = is_open, port, target
        self.server = None

    async def follow(self, listening):
        """Listens as long as the target does."""
        if self.target in listening and self.server is None:
            self.server = await asyncio.start_server(self._take, "127.0.0.1", self.port)
        elif self.target not in listening and self.server is not None:
            self.server.close()
            self.server = None

    async def _take(self, reader, writer):
        await self.is_open.wait()
        try:
            behind = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(self._pass(reader, behind[1]), self._pass(behind[0], writer))

    async def _pass(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                await self.is_open.wait()
                writer.write(data)
                await writer.drain()
        await self.is_open.wait()
        writer.close()


def listening_ports():
    ports = set()
    for name in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING:
                ports.add(int(fields[1].rsplit(":", 1)[1], 16))
    return ports


async def obey(opens):
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async for line in reader:
        what, name = line.decode().split()
        if what == "cut":
            opens[name].clear()
        else:
            opens[name].set()
        print("done", flush=True)


async def main(arguments):
    opens, routes = {}, []
    for argument in arguments:
        name, port, target = argument.split(":")
        if name not in opens:
            opens[name] = asyncio.Event()
            opens[name].set()
        routes.append(Route(opens[name], int(port), int(target)))
    obeying = asyncio.create_task(obey(opens))
    while not obeying.done():
        listening = listening_ports()
        for route in routes:
            await route.follow(listening)
        await asyncio.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
