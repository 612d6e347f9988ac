"""Clients that others wrote push to the simulator and see Apple's answers.

    clients.py CONTROL-URL AUTHORITY-FILE

Prints a line for each thing that was seen, and ends with 1 at the first that was not. Stock aioapns,
apns2 (PyAPNs2, in the release that today's Python can load), httpx and kalyke: only the address is
another one than Apple's, and whom they trust.
"""

import asyncio
import enum
import gzip
import json
import os
import ssl
import sys
import time
import urllib.request
import uuid

import apns2.client
import apns2.credentials
import apns2.errors
import apns2.payload
import httpx
import jwt
import kalyke
import kalyke.exceptions
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

SUFFIX = ".push-type.liveactivity"


class Simulator:
    """The control port."""

    def __init__(self, url):
        self.url = url
        self.who = self.call("GET", "/credentials")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def add_phone(self, activity):
        phone = {"name": "Ann", "kind": "BikeRide", "activity": activity}
        return self.call("POST", "/phones", phone)

    def provider_token(self, **changes):
        claims = {"iss": self.who["teamID"], "iat": int(time.time())} | changes
        return jwt.encode(claims, self.who["signingKeyPEM"], algorithm="ES256",
                          headers={"kid": self.who["keyID"]})

    def der_provider_token(self):
        """As the usual client in Java signs."""
        head, claims, _ = self.provider_token().split(".")
        key = serialization.load_pem_private_key(self.who["signingKeyPEM"].encode(), None)
        signature = key.sign(f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        return f"{head}.{claims}.{jwt.utils.base64url_encode(signature).decode()}"

    def oddities(self):
        return self.call("GET", "/oddities")


def expect(what, seen, wanted):
    if seen != wanted:
        raise SystemExit(f"{what}: {seen!r} instead of {wanted!r}")
    print(f"ok: {what}", flush=True)


def update(event="update", **members):
    state = {"status": "cycling"}
    return {"aps": {"timestamp": int(time.time()), "event": event, "content-state": state} | members}


async def try_aioapns(simulator, trust):
    APNsDevelopmentClientProtocol.APNS_SERVER = "localhost"
    APNsDevelopmentClientProtocol.APNS_PORT = simulator.who["apnsPort"]

    def client(**changes):
        known = {"key": simulator.who["signingKeyPEM"], "key_id": simulator.who["keyID"],
                 "team_id": simulator.who["teamID"], "topic": simulator.who["bundleID"] + SUFFIX,
                 "use_sandbox": True, "ssl_context": trust, "max_connections": 1,
                 "max_connection_attempts": 2, "err_func": nothing}
        return APNs(**(known | changes))

    async def nothing(*_):
        pass

    async def push(apns, token, message=None, **more):
        result = await apns.send_notification(NotificationRequest(
            device_token=token, message=message or update(), push_type=PushType.LIVEACTIVITY, **more))
        return result

    apns = client()
    phone = simulator.add_phone("aioapns")
    result = await push(apns, phone["pushToken"], priority=5, time_to_live=60)
    expect("aioapns: a push is accepted", (result.status, result.description), ("200", None))
    log = simulator.call("GET", f"/phones/{phone['id']}")["log"]
    expect("aioapns: and is on the phone", log[-1]["timestamp"] > 0, True)
    silent = simulator.call("POST", "/silent-tokens", {"count": 1})["pushTokens"][0]
    results = await asyncio.gather(*(push(apns, silent) for _ in range(300)))
    expect("aioapns: three hundred at once", {result.status for result in results}, {"200"})
    result = await push(apns, "ab" * 80)
    expect("aioapns: an unknown token", (result.status, result.description),
           ("400", "BadDeviceToken"))
    result = await push(apns, silent, update(note="x" * 5000))
    expect("aioapns: a large payload", (result.status, result.description),
           ("413", "PayloadTooLarge"))
    simulator.call("POST", "/faults", {"refuse": "TooManyRequests"})
    result = await push(apns, silent)
    expect("aioapns: too many requests", (result.status, result.description),
           ("429", "TooManyRequests"))
    simulator.call("POST", "/faults", {"kill": phone["id"]})
    result = await push(apns, phone["pushToken"])
    expect("aioapns: a dead token", (result.status, result.description), ("410", "Unregistered"))
    expect("aioapns: its time is in milliseconds",
           abs(result.timestamp / 1000 - time.time()) < 60, True)
    simulator.call("POST", "/faults", {"goAway": "Shutdown"})
    result = await push(apns, silent)
    expect("aioapns: another connection after GOAWAY", result.status, "200")
    stranger = client(team_id="STRANGER00")
    result = await push(stranger, silent)
    expect("aioapns: another team", (result.status, result.description),
           ("403", "InvalidProviderToken"))
    for connection in apns.pool.connections + stranger.pool.connections:
        connection.close()


def try_httpx(simulator, trust):
    who = simulator.who
    phone = simulator.add_phone("httpx")
    identifier = str(uuid.uuid4())
    right = {
        "authorization": f"bearer {simulator.provider_token()}", "apns-id": identifier,
        "apns-push-type": "liveactivity", "apns-topic": who["bundleID"] + SUFFIX,
        "apns-priority": "10", "apns-expiration": "0",
    }
    client = httpx.Client(http2=True, verify=trust, base_url=f"https://localhost:{who['apnsPort']}")
    path = f"/3/device/{phone['pushToken']}"

    def push(changes=None, content=None, method="POST", path=path):
        headers = {name: value for name, value in (right | (changes or {})).items() if value}
        body = json.dumps(update()) if content is None else content
        return client.request(method, path, headers=headers, content=body)

    answer = push()
    expect("httpx: a push is accepted over HTTP/2",
           (answer.status_code, answer.http_version, answer.content), (200, "HTTP/2", b""))
    expect("httpx: apns-id comes back", answer.headers["apns-id"], identifier)
    expect("httpx: the sandbox gives apns-unique-id", "apns-unique-id" in answer.headers, True)
    for status, reason, wrong in [
            (400, "BadCollapseId", {"changes": {"apns-collapse-id": "x" * 65}}),
            (400, "BadExpirationDate", {"changes": {"apns-expiration": "tomorrow"}}),
            (400, "BadMessageId", {"changes": {"apns-id": identifier.upper()}}),
            (400, "BadPriority", {"changes": {"apns-priority": "11"}}),
            (400, "BadTopic", {"changes": {"apns-topic": "a b"}}),
            (400, "MissingTopic", {"changes": {"apns-topic": None}}),
            (400, "TopicDisallowed", {"changes": {"apns-topic": "com.other" + SUFFIX}}),
            (400, "DeviceTokenNotForTopic", {"changes": {"apns-topic": who["bundleID"]}}),
            (400, "InvalidPushType", {"changes": {"apns-push-type": "LiveActivity"}}),
            (400, "PayloadEmpty", {"content": b""}),
            (400, "BadDeviceToken", {"path": "/3/device/" + "cd" * 80}),
            (400, "MissingDeviceToken", {"path": "/3/device/"}),
            (403, "MissingProviderToken", {"changes": {"authorization": None}}),
            (404, "BadPath", {"path": "/3/devices/x"}),
            (405, "MethodNotAllowed", {"method": "PUT"}),
            (413, "PayloadTooLarge", {"content": b" " * 4097})]:
        answer = push(**wrong)
        expect(f"httpx: {status} {reason}", (answer.status_code, answer.json()),
               (status, {"reason": reason}))
    for size in (70_000, 3_000_000):
        answer = push(content=b" " * size)
        expect(f"httpx: a body of {size} bytes",
               (answer.status_code, answer.json(), answer.headers["apns-id"]),
               (413, {"reason": "PayloadTooLarge"}, identifier))
    answer = push()
    expect("httpx: and the connection goes on", answer.status_code, 200)
    answer = push({"content-encoding": "gzip"}, gzip.compress(json.dumps(update()).encode()))
    expect("httpx: a compressed body is taken, and noted",
           (answer.status_code, simulator.oddities()["compressed-body"]), (200, 1))
    log = simulator.call("GET", f"/phones/{phone['id']}")["log"]
    expect("httpx: but no phone reads it", log[-1]["outcome"], "ignored")
    with httpx.Client(http2=True, verify=trust, base_url=client.base_url) as other:
        token = f"bearer {simulator.der_provider_token()}"
        answer = other.post(path, headers=right | {"authorization": token}, json=update())
        expect("httpx: a signature in DER is taken, and noted",
               (answer.status_code, simulator.oddities()["der-signature"]), (200, 1))
    fresh = f"bearer {simulator.provider_token(iat=int(time.time()) - 60)}"
    answer = push({"authorization": fresh})
    expect("httpx: a new provider token too soon", (answer.status_code, answer.json()["reason"]),
           (429, "TooManyProviderTokenUpdates"))
    try_channels(simulator, trust, client, right)
    client.close()


def try_channels(simulator, trust, client, right):
    who = simulator.who
    management = httpx.Client(
        http2=True, verify=trust, base_url=f"https://localhost:{who['managementPort']}")
    channels = f"/1/apps/{who['bundleID']}/channels"
    headers = {"authorization": right["authorization"]}
    body = {"message-storage-policy": 1, "push-type": "LiveActivity"}
    answer = management.post(channels, headers=headers, json=body)
    channel = answer.headers.get("apns-channel-id", "")
    expect("httpx: a channel is made", (answer.status_code, answer.content, channel != ""),
           (201, b"", True))
    named = headers | {"apns-channel-id": channel}
    expect("httpx: and read", management.get(channels, headers=named).json(), body)
    answer = management.get(f"/1/apps/{who['bundleID']}/all-channels", headers=headers)
    expect("httpx: and listed", answer.json(), {"channels": [channel]})
    broadcast = named | {"apns-push-type": "liveactivity", "apns-priority": "5", "apns-expiration": "0"}
    path = f"/4/broadcasts/apps/{who['bundleID']}"
    answer = client.post(path, headers=broadcast, json=update("end"))
    expect("httpx: a broadcast is accepted", answer.status_code, 200)
    expect("httpx: and deleted", management.delete(channels, headers=named).status_code, 204)
    answer = client.post(path, headers=broadcast, json=update("end"))
    expect("httpx: a channel that is gone", (answer.status_code, answer.json()),
           (400, {"reason": "ChannelNotRegistered"}))
    management.close()


def try_apns2(simulator, trust, key_file):
    who = simulator.who
    apns2.client.APNsClient.SANDBOX_SERVER = "localhost"
    apns2.client.APNsClient.DEFAULT_PORT = who["apnsPort"]

    class Credentials(apns2.credentials.TokenCredentials):
        """With an authority of ours, which the client asks for with certificates only."""

        def create_connection(self, server, port, proto, proxy_host=None, proxy_port=None):
            return apns2.credentials.HTTP20Connection(
                server, port, ssl_context=trust, force_proto=proto or "h2", secure=True)

    class Kind(enum.Enum):
        live_activity = "liveactivity"

    class Update(apns2.payload.Payload):
        def __init__(self, **more):
            super().__init__()
            self.more = more

        def dict(self):
            return update() | self.more

    client = apns2.client.APNsClient(
        Credentials(key_file, who["keyID"], who["teamID"]), use_sandbox=True)
    topic = who["bundleID"] + SUFFIX

    def push(token, payload):
        stream = client.send_notification_async(
            token, payload, topic, priority=apns2.client.NotificationPriority.Delayed,
            push_type=Kind.live_activity)
        return client.get_notification_result(stream)

    phone = simulator.add_phone("apns2")
    expect("apns2: a push is accepted", push(phone["pushToken"], Update()), "Success")
    log = simulator.call("GET", f"/phones/{phone['id']}")["log"]
    expect("apns2: and is on the phone", log[-1]["outcome"], "shown")
    tokens = simulator.call("POST", "/silent-tokens", {"count": 200})["pushTokens"]
    results = client.send_notification_batch(
        [apns2.client.Notification(token=token, payload=Update()) for token in tokens], topic,
        push_type=Kind.live_activity)
    expect("apns2: two hundred in a batch", (len(results), set(results.values())),
           (200, {"Success"}))
    expect("apns2: an unknown token", push("ab" * 80, Update()), "BadDeviceToken")
    expect("apns2: a large payload", push(tokens[0], Update(note="x" * 5000)), "PayloadTooLarge")
    simulator.call("POST", "/faults", {"kill": phone["id"]})
    reason, since = push(phone["pushToken"], Update())
    expect("apns2: a dead token", (reason, abs(since / 1000 - time.time()) < 60),
           ("Unregistered", True))


async def try_kalyke(simulator, key_file):
    who = simulator.who

    class Client(kalyke.LiveActivityClient):
        _base_url = f"https://localhost:{who['apnsPort']}"

    client = Client(use_sandbox=True, team_id=who["teamID"], auth_key_id=who["keyID"],
                    auth_key_filepath=key_file)
    config = kalyke.LiveActivityApnsConfig(topic=who["bundleID"] + SUFFIX)

    async def push(token, **state):
        payload = kalyke.LiveActivityPayload(content_state={"status": "cycling"} | state)
        try:
            return await client.send_message(token, payload, config)
        except kalyke.exceptions.ApnsProviderException as error:
            return type(error).__name__

    phone = simulator.add_phone("kalyke")
    identifier = await push(phone["pushToken"])
    expect("kalyke: a push is accepted", str(uuid.UUID(identifier)), identifier)
    log = simulator.call("GET", f"/phones/{phone['id']}")["log"]
    expect("kalyke: and is on the phone", log[-1]["outcome"], "shown")
    expect("kalyke: its iat is a string, which is noted",
           simulator.oddities()["iat-as-string"] >= 1, True)
    expect("kalyke: an unknown token", await push("ab" * 80), "BadDeviceToken")
    expect("kalyke: a large payload", await push(phone["pushToken"], note="x" * 5000),
           "PayloadTooLarge")
    simulator.call("POST", "/faults", {"kill": phone["id"]})
    expect("kalyke: a dead token", await push(phone["pushToken"]), "Unregistered")


def main():
    # Clients that are given no context of TLS ask this.
    os.environ["SSL_CERT_FILE"] = sys.argv[2]
    simulator = Simulator(sys.argv[1])
    trust = ssl.create_default_context(cafile=sys.argv[2])
    key_file = sys.argv[2] + ".p8"
    with open(key_file, "w", encoding="utf-8") as file:
        file.write(simulator.who["signingKeyPEM"])
    try:
        try_httpx(simulator, trust)
        try_apns2(simulator, trust, key_file)
        asyncio.run(asyncio.wait_for(try_kalyke(simulator, key_file), timeout=60))
    finally:
        os.remove(key_file)
    asyncio.run(asyncio.wait_for(try_aioapns(simulator, trust), timeout=60))


if __name__ == "__main__":
    main()
