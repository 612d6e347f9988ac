"""An APNs on the package h2 that takes nothing which Apple's pages rule out, with one fault.

    server.py FAULT FOLDER

FOLDER has certificate.pem, key.pem and public.pem, the signer's. The port is written to FOLDER/port;
when standard input ends, what was seen is written to FOLDER/report.json.
"""

import asyncio
import base64
import json
import re
import ssl
import sys
import time
from collections import Counter
from pathlib import Path

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

TEAM, KEY = "TEAM567890", "KEY4567890"
BODY_BYTES_MAX = 4096
STREAMS = 20
HEADERS = {
    ":method": "POST", ":scheme": "https", ":path": r"/3/device/[0-9a-f]{160}",
    ":authority": r"[\w.]+(:\d+)?", "authorization": r"bearer [\w-]+\.[\w-]+\.[\w-]+",
    "apns-push-type": "liveactivity", "apns-topic": r"[\w.]+\.push-type\.liveactivity",
    "apns-priority": "1|5|10", "apns-expiration": r"\d+", "apns-collapse-id": ".{1,64}",
    "apns-id": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "content-length": r"\d+", "content-type": "application/json", "user-agent": ".*",
}
REQUIRED = [":authority", "authorization", "apns-push-type", "apns-topic", "apns-id"]


def unpacked(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class Apple:
    def __init__(self, fault, folder):
        self.fault = fault
        self.signer = serialization.load_pem_public_key((folder / "public.pem").read_bytes())
        self.violations = []
        # How often each apns-id was answered 200.
        self.taken = Counter()
        self.answers = Counter()
        self.requests = 0
        self.connections = 0

    def violated(self, what):
        if len(self.violations) < 20:
            self.violations.append(what)

    def check(self, headers, body):
        seen = Counter(name for name, _ in headers)
        for name, value in headers:
            if name not in HEADERS:
                self.violated(f"header {name} has no place in a push")
            elif not re.fullmatch(HEADERS[name], value):
                self.violated(f"header {name} is malformed")
            if seen[name] > 1:
                self.violated(f"header {name} comes twice")
        for name in REQUIRED:
            if name not in seen:
                self.violated(f"header {name} is missing")
        fields = dict(headers)
        if int(fields.get("content-length", len(body))) != len(body):
            self.violated("content-length is wrong")
        if len(body) > BODY_BYTES_MAX:
            self.violated("the body is too large")
        try:
            if not isinstance(json.loads(body), dict):
                self.violated("the body is no JSON object")
        except ValueError:
            self.violated("the body is no JSON")
        return fields

    def check_token(self, authorization):
        head, claims, signature = authorization.removeprefix("bearer ").split(".")
        known, said, raw = json.loads(unpacked(head)), json.loads(unpacked(claims)), unpacked(signature)
        if known.get("alg") != "ES256" or known.get("kid") != KEY or said.get("iss") != TEAM:
            self.violated("the provider token names another key")
        if type(said.get("iat")) is not int or abs(time.time() - said["iat"]) > 3600:
            self.violated("iat is no whole number of about now")
        if len(raw) != 64:
            return self.violated("the signature is not r and s")
        der = utils.encode_dss_signature(
            int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        try:
            self.signer.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            self.violated("the signature is wrong")


class Connection(asyncio.Protocol):
    def __init__(self, apple):
        self.apple = apple
        self.waiting = {}
        self.token = None
        # Requests that have come and are not answered.
        self.open = set()
        self.count = 0
        # The last stream that is processed, once a GOAWAY has gone out.
        self.last = None

    def connection_made(self, transport):
        self.transport = transport
        self.apple.connections += 1
        self.number = self.apple.connections
        if transport.get_extra_info("ssl_object").selected_alpn_protocol() != "h2":
            self.apple.violated("h2 was not agreed on")
        codes = h2.settings.SettingCodes
        values = {codes.MAX_CONCURRENT_STREAMS: 1, codes.MAX_HEADER_LIST_SIZE: 8000,
                  codes.ENABLE_CONNECT_PROTOCOL: 0}
        if self.apple.fault == "small windows":
            values |= {codes.INITIAL_WINDOW_SIZE: 7}
        if self.apple.fault == "no header table":
            values |= {codes.HEADER_TABLE_SIZE: 0}
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values=values)
        self.h2.initiate_connection()
        if self.apple.fault == "noise":
            self.flush()
            # Frames of a type that nobody knows, which are to be passed over.
            self.transport.write(bytes([0, 0, 5, 0xbb, 0xff, 0, 0, 0, 0]) + b"apple")
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if data and not self.transport.is_closing():
            self.transport.write(data)

    def data_received(self, data):
        if self.h2 is None or self.last is not None:
            return
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            self.apple.violated(f"protocol: {error!r}")
            self.flush()
            return self.transport.close()
        for event in events:
            self.meet(event)
        self.flush()

    def meet(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.waiting[event.stream_id] = (event.headers, bytearray())
        elif isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id in self.waiting:
                self.waiting[event.stream_id][1].extend(event.data)
        elif isinstance(event, h2.events.StreamEnded):
            headers, body = self.waiting.pop(event.stream_id)
            self.requested(event.stream_id, headers, bytes(body))
        elif isinstance(event, h2.events.StreamReset):
            self.waiting.pop(event.stream_id, None)
        elif isinstance(event, (h2.events.PriorityUpdated, h2.events.TrailersReceived)):
            self.apple.violated(f"{type(event).__name__}, which Apple asks not to send")

    def requested(self, stream, headers, body):
        fields = self.apple.check(headers, body)
        self.open.add(stream)
        self.count += 1
        self.apple.requests += 1
        if self.token is None:
            self.apple.check_token(fields["authorization"])
            self.h2.update_settings(
                {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: STREAMS})
        elif self.token != fields["authorization"]:
            self.apple.violated("a second provider token on one connection")
        self.token = fields["authorization"]
        late = 0.002 * (stream % 5)
        asyncio.get_running_loop().call_later(late, self.answer, stream, fields["apns-id"])

    def answer(self, stream, identifier):
        if self.h2 is None or self.transport.is_closing():
            return
        self.open.discard(stream)
        if self.last is not None:
            return self.answer_after_goaway(stream, identifier)
        fault = self.apple.fault
        turn = stream // 2 % 10 == 7
        try:
            if fault == "refused streams" and turn:
                self.h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
            elif fault == "reset streams" and turn:
                self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
            elif fault == "silence" and turn:
                pass
            elif fault == "lost connections" and self.count >= 40:
                self.transport.abort()
            elif fault == "goaway" and self.count >= 60 and self.last is None:
                # Half of what has come is processed.
                come = sorted(self.open | {stream})
                self.last = max(stream, come[len(come) // 2])
                self.h2.close_connection(
                    h2.errors.ErrorCodes.NO_ERROR, b'{"reason":"Shutdown"}', self.last)
                self.flush()
                self.answer_after_goaway(stream, identifier)
            elif fault == "too many requests" and turn:
                self.respond(stream, identifier, "429", b'{"reason":"TooManyRequests"}')
            elif fault == "empty refusals" and turn:
                self.respond(stream, identifier, "503", b"")
            elif fault == "refusals without JSON" and turn:
                self.respond(stream, identifier, "500", b"<html>")
            elif fault == "fewer streams" and self.count == 30:
                self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 2})
                self.respond(stream, identifier)
            else:
                self.respond(stream, identifier)
        except h2.exceptions.ProtocolError:
            # The client has reset it meanwhile.
            pass
        self.flush()

    def answer_after_goaway(self, stream, identifier):
        """h2 lets nothing follow a GOAWAY, so these are written by hand: `:status` is 200."""
        if stream <= self.last:
            self.apple.answers["200"] += 1
            self.apple.taken[identifier] += 1
            self.transport.write(
                bytes([0, 0, 1, 1, 5]) + stream.to_bytes(4, "big") + bytes([0x88]))
        if all(other > self.last for other in self.open):
            self.transport.close()

    def respond(self, stream, identifier, status="200", body=b""):
        self.apple.answers[status] += 1
        if status == "200":
            self.apple.taken[identifier] += 1
        if self.apple.fault == "noise":
            self.h2.ping(b"question")
            self.h2.send_headers(stream, [(":status", "103"), ("link", "</>")])
        headers = [(":status", status), ("apns-id", identifier)]
        self.h2.send_headers(stream, headers, end_stream=not body)
        for index in range(len(body)):
            # A byte in each frame, with padding.
            self.h2.send_data(stream, body[index:index + 1], pad_length=index % 9,
                              end_stream=index == len(body) - 1)

    def connection_lost(self, _):
        self.h2 = None


async def main():
    folder = Path(sys.argv[2])
    apple = Apple(sys.argv[1], folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    context.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(apple), "127.0.0.1", 0, ssl=context)
    (folder / "port.new").write_text(str(server.sockets[0].getsockname()[1]))
    (folder / "port.new").rename(folder / "port")
    await loop.run_in_executor(None, sys.stdin.read)
    (folder / "report.new").write_text(json.dumps({
        "violations": apple.violations, "taken": apple.taken, "answers": apple.answers,
        "requests": apple.requests, "connections": apple.connections}))
    (folder / "report.new").rename(folder / "report.json")


asyncio.run(main())
