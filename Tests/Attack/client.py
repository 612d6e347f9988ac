"""HTTP over a bare socket, from an address of choice, so that an attacker and those it would harm
are different clients to the server."""

import asyncio
import base64
import json
import time

HOSTILE = "127.0.0.1"
# Another address of the same machine: its client has done nothing.
OTHER = "127.0.0.2"
ANSWER_SECONDS_MAX = 10


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def json(self):
        return json.loads(self.body)


class Client:
    """One connection that is kept, and made again when it has ended."""

    def __init__(self, port, key=None, source=HOSTILE, tls=None):
        self.port, self.key, self.source, self.tls = port, key, source, tls
        self._streams = None

    async def request(self, method, target, body=None, fields=None, head_only=False,
                      seconds=ANSWER_SECONDS_MAX):
        """The answer, or None when there was none in time or the connection ended."""
        # `wait_for` of Python 3.11 may lose the cancellation of its caller; `wait` does not.
        asked = asyncio.create_task(self._request(method, target, body, fields, head_only))
        try:
            await asyncio.wait([asked], timeout=seconds)
            if asked.done():
                return asked.result()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            asked.cancel()
        await self.close()
        return None

    async def post(self, target, value, fields=None, seconds=ANSWER_SECONDS_MAX):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        kind = {"Content-Type": "application/json"}
        return await self.request("POST", target, body, {**kind, **(fields or {})},
                                  seconds=seconds)

    async def _request(self, method, target, body, fields, head_only):
        if self._streams is None:
            self._streams = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(self.source, 0), limit=1 << 20, ssl=self.tls)
        reader, writer = self._streams
        writer.write(head(method, target, self.key, body, fields) + (body or b""))
        await writer.drain()
        status, answered = await read_head(reader)
        while status == 100:
            status, answered = await read_head(reader)
        if head_only:
            await self.close()
            return Answer(status, answered, b"")
        received = await _read_body(reader, status, answered)
        if answered.get("connection") == "close":
            await self.close()
        return Answer(status, answered, received)

    async def close(self):
        streams, self._streams = self._streams, None
        if streams:
            streams[1].transport.abort()


def head(method, target, key=None, body=None, fields=None):
    lines = [f"{method} {target} HTTP/1.1", "Host: attack"]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name}: {value}" for name, value in (fields or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


async def read_head(reader):
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *rest = text.split("\r\n")
    pairs = (line.partition(":") for line in rest if line)
    return int(first.split(" ")[1]), {name.lower(): value.strip() for name, _, value in pairs}


async def _read_body(reader, status, fields):
    if status in (204, 304):
        return b""
    if fields.get("transfer-encoding") == "chunked":
        body = b""
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readuntil(b"\r\n")
        return body
    return await reader.readexactly(int(fields.get("content-length", "0")))


def event(identifier, subject, type="PizzaDelivery.DriverLocated", data=None, **others):
    """A CloudEvent; its time is now."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"specversion": "1.0", "id": identifier, "source": "/attack", "subject": subject,
            "type": type, "time": now, "data": {"distanceMeters": 1} if data is None else data,
            **others}


def order(identifier, subject, promised_seconds=1_800):
    promised = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + promised_seconds))
    return event(identifier, subject, "PizzaDelivery.OrderPlaced", {
        "orderNumber": identifier[:20], "numberOfPizzas": 2, "totalAmount": "€24.00",
        "promisedAt": promised})


def invented(chance, activity):
    """A key that nobody has, or a ticket of this or that tenant that nobody has made."""
    number = f"{chance.getrandbits(64):016x}"
    if chance.random() < 1 / 3:
        return "islet_" + number.rjust(43, "0")
    claims = {"t": chance.choice((1, 2, chance.randrange(1 << 31))), "a": activity, "e": 1 << 40,
              "k": chance.choice((1, 2)), "g": "rw", "m": 1 << 40, "n": number}
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    code = base64.urlsafe_b64encode(number.encode() * 2).decode().rstrip("=")
    return f"islet_t1.{payload}.{code}"
