"""Pushes over one connection of aioapns, as a service in Python would.

    push.py COUNT STREAMS

Reads where to push to from standard input, as `islet-bench gateway` prints it, and prints how many
pushes were accepted, and the seconds and CPU seconds that they took, as JSON.
"""

import asyncio
import json
import ssl
import sys
import time

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


def make_key():
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()).decode()


async def report(*_):
    pass


async def main():
    count, streams = int(sys.argv[1]), int(sys.argv[2])
    gateway = json.load(sys.stdin)
    APNsDevelopmentClientProtocol.APNS_SERVER = "127.0.0.1"
    APNsDevelopmentClientProtocol.APNS_PORT = gateway["port"]
    trust = ssl.create_default_context(cadata=gateway["authorityPEM"])
    trust.set_alpn_protocols(["h2"])
    apns = APNs(
        key=make_key(), key_id="BENCHKEY01", team_id="BENCHTEAM1",
        topic=gateway["headers"]["apns-topic"], use_sandbox=True, max_connections=1,
        ssl_context=trust, err_func=report)
    token = gateway["path"].rsplit("/", 1)[1]
    message = json.loads(gateway["body"])
    left = iter(range(count))

    async def push_on():
        accepted = 0
        for _ in left:
            result = await apns.send_notification(NotificationRequest(
                device_token=token, message=message, push_type=PushType.LIVEACTIVITY, priority=5))
            accepted += result.is_successful
        return accepted

    await apns.send_notification(NotificationRequest(
        device_token=token, message=message, push_type=PushType.LIVEACTIVITY, priority=5))
    begin, cpu = time.monotonic(), time.process_time()
    accepted = sum(await asyncio.gather(*(push_on() for _ in range(streams))))
    print(json.dumps({
        "accepted": accepted, "seconds": time.monotonic() - begin,
        "cpuSeconds": time.process_time() - cpu}))


asyncio.run(main())
