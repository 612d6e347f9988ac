"""HTTP/2 as an attacker speaks it: frames over TLS, without a library that would keep to the rules."""

import asyncio
import contextlib
import functools
import ssl
import struct

from client import HOSTILE

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, _, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4
ENHANCE_YOUR_CALM = 11
OPEN_SECONDS_MAX = 10


@functools.cache
def context():
    """Trusts anybody: the certificate is not what is tried. One for all, since making one takes
    longer than shaking hands, and the attacker would be slower than what it attacks."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    tls.set_alpn_protocols(["h2"])
    return tls


def frame(kind, flags=0, stream=0, payload=b""):
    return (struct.pack(">I", len(payload))[1:] + bytes([kind, flags])
            + struct.pack(">I", stream) + payload)


def settings(*pairs):
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", *pair) for pair in pairs))


def head(method, path, key=None, **fields):
    """A header block of literals, without a table and without Huffman's code."""
    pairs = [(":method", method), (":scheme", "https"), (":authority", "attack"), (":path", path)]
    if key:
        pairs.append(("authorization", f"Bearer {key}"))
    pairs += [(name.replace("_", "-"), str(value)) for name, value in fields.items()]
    return b"".join(b"\x00" + _text(name) + _text(value) for name, value in pairs)


def indexed(name, value):
    """A field that the table of header compression has from here on."""
    return b"\x40" + _text(name) + _text(value)


def _text(text):
    data = text.encode()
    if len(data) < 127:
        return bytes([len(data)]) + data
    rest, length = len(data) - 127, b"\x7f"
    while rest >= 128:
        length, rest = length + bytes([rest % 128 + 128]), rest // 128
    return length + bytes([rest]) + data


class Connection:
    """One that is opened by `open`. What comes is counted, and thrown away."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.number = -1
        self.answers = self.resets = 0
        # Why the server said good-bye; None as long as it has not.
        self.goaway = None
        self._reading = None

    @classmethod
    async def open(cls, port, own=(), reads=True):
        """- Parameter own: settings, each a number and a value."""
        streams = await asyncio.wait_for(asyncio.open_connection(
            "127.0.0.1", port, local_addr=(HOSTILE, 0), ssl=context()), OPEN_SECONDS_MAX)
        connection = cls(*streams)
        connection.writer.write(PREFACE + settings(*own))
        if reads:
            connection._reading = asyncio.create_task(connection._read())
        return connection

    def ask(self, method, path, key=None, ends=True, **fields):
        """- Returns: the number of the stream."""
        self.number += 2
        flags = END_HEADERS | (END_STREAM if ends else 0)
        self.send(frame(HEADERS, flags, self.number, head(method, path, key, **fields)))
        return self.number

    def send(self, data):
        """Nothing on a connection that is over, or Python says so for each frame."""
        if not self.is_over:
            self.writer.write(data)

    @property
    def is_over(self):
        return self.writer.is_closing() or (self._reading is not None and self._reading.done())

    async def ended(self, seconds):
        """Waits until the server has closed it. False when it has not."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._reading), seconds)
        return self._reading.done()

    async def _read(self):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                start = await self.reader.readexactly(9)
                payload = await self.reader.readexactly(int.from_bytes(start[:3], "big"))
                kind, flags = start[3], start[4]
                if kind == SETTINGS and not flags & ACK:
                    self.send(frame(SETTINGS, ACK))
                elif kind == HEADERS:
                    self.answers += 1
                elif kind == RST_STREAM:
                    self.resets += 1
                elif kind == GOAWAY:
                    self.goaway = struct.unpack(">I", payload[4:8])[0]
                elif kind == DATA and payload:
                    self.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", len(payload))))

    def abort(self):
        if self._reading:
            self._reading.cancel()
        self.writer.transport.abort()


async def open_many(port, count, at_once=10, failures_max=20, **options):
    """As many as the server lets in; one that is slow to shake hands is tried again."""
    opened, failures = [], 0
    while len(opened) < count and failures <= failures_max:
        made = await asyncio.gather(
            *(Connection.open(port, **options) for _ in range(min(at_once, count - len(opened)))),
            return_exceptions=True)
        opened += [each for each in made if isinstance(each, Connection)]
        failures += sum(not isinstance(each, Connection) for each in made)
    return opened
