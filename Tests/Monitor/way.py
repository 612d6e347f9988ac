#!/usr/bin/env python3
"""The way to Apple: passes on what comes to a port. way.py PORT TARGET

When it ends, connections break and new ones are refused, as behind a firewall."""

import asyncio
import sys

CHUNK_BYTES = 65_536


async def pump(reader, writer):
    try:
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def main(port, target):
    async def take(reader, writer):
        try:
            behind, back = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(pump(reader, back), pump(behind, writer))

    server = await asyncio.start_server(take, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
