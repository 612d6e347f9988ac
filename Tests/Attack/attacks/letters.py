"""Requests that two servers on one way might read differently.

Who: anonymous, behind a proxy.
What: bytes on a bare socket: two transfer codings, a port that is none, folded fields in trailers,
OPTIONS of the server, percent-encoded paths, a body that waits for permission.
Must be true: each is answered by the letter of RFC 9110 and 9112.
Bound: the very status.
"""

import asyncio

from client import HOSTILE, head
from stage import Finding

IS_SHORT = False
CHUNKED = "POST /v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: {}\r\n{}\r\n"
CASES = {
    "two Transfer-Encoding fields": (
        CHUNKED.format("chunked", "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n", (400,)),
    "chunked, then chunked": (CHUNKED.format("chunked, chunked", "") + "0\r\n\r\n", (400,)),
    "chunked, then gzip": (CHUNKED.format("chunked, gzip", "") + "0\r\n\r\n", (400,)),
    "two fields, gzip last": (
        CHUNKED.format("chunked", "Transfer-Encoding: gzip\r\n") + "0\r\n\r\n", (400,)),
    "gzip, then chunked": (CHUNKED.format("gzip, chunked", "") + "0\r\n\r\n", (400, 501)),
    "chunks and a length": (
        CHUNKED.format("chunked", "Content-Length: 3\r\n") + "0\r\n\r\n", (400,)),
    "Host: a:b": ("GET /healthz HTTP/1.1\r\nHost: a:b\r\n\r\n", (400,)),
    "two Host fields": ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", (400,)),
    "a folded field": ("GET /healthz HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", (400,)),
    "a folded field in trailers": (
        CHUNKED.format("chunked", "") + "0\r\nX: b\r\n c\r\n\r\n", (400,)),
    "OPTIONS *": ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", (200, 204)),
    "a percent-encoded letter": ("GET /%68ealthz HTTP/1.1\r\nHost: a\r\n\r\n", (200,)),
    "a percent-encoded slash": ("GET /v1%2Fschemas HTTP/1.1\r\nHost: a\r\n\r\n", (404, 401)),
    "a bad escape": ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", (400, 404)),
    "a bare line feed": ("GET /healthz HTTP/1.1\nHost: a\n\n", (400,)),
}


async def run(stage):
    found = []
    good = stage.key("letters")
    for name, (text, expected) in CASES.items():
        # The trailers of a client that has no key are not read.
        text = text.replace("Host: a\r\n", f"Host: a\r\nAuthorization: Bearer {good}\r\n", 1)
        status = (await _statuses(stage.port, text.encode(), 2) or [0])[0]
        found.append(Finding(name, str(status), " or ".join(map(str, expected)),
                             status in expected))
    waiting = {"Content-Length": "20", "Expect": "100-continue",
               "Content-Type": "application/json"}
    for name, key, expected in (("no key", None, [401]), ("a bad key", "islet_no", [401]),
                                ("a good key", good, [100])):
        data = head("POST", "/v1/events", key, fields=waiting)
        statuses = await _statuses(stage.port, data, 1.5)
        found.append(Finding(f"100-continue with {name}", str(statuses[:1]), str(expected),
                             statuses[:1] == expected))
    text = "GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n"
    status, body = await _exchange(stage.port, text.encode(), 2)
    found.append(Finding("the remedy for another version", _named(body), "what is spoken",
                         status[:1] in ([505], [400]) and b"HTTP/2" not in body))
    return found


def _named(body):
    return "names HTTP/2" if b"HTTP/2" in body else "names what is spoken"


async def _statuses(port, data, seconds):
    return (await _exchange(port, data, seconds))[0]


async def _exchange(port, data, seconds):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(HOSTILE, 0))
    received = b""
    try:
        writer.write(data)
        async def read():
            nonlocal received
            while part := await reader.read(65_536):
                received += part
                if b"\r\n\r\n" in received:
                    # A body may follow.
                    await asyncio.sleep(0.05)
        await asyncio.wait_for(read(), seconds if not received else 0.2)
    except (OSError, asyncio.TimeoutError):
        pass
    finally:
        writer.transport.abort()
    statuses = [int(line[9:12]) for line in received.split(b"\r\n") if line[:9] == b"HTTP/1.1 "]
    return statuses, received
