"""JSON bodies, paths, queries and keys that are nearly right, on a bare socket.

Each begins as a request that is answered well; then values, members and bytes of it are changed.
schemathesis stays near the document's shapes, and HTTP libraries refuse to send much of this.
"""

import concurrent.futures
import json
import random
import time
import urllib.request

ROUNDS = 40
ANSWER_SECONDS_MAX = 8
TOKEN = "80c1d2f43b6a4e5f9788a1b2c3d4e5f6"
APP = {"environment": "sandbox", "bundleId": "com.example.pizza"}
CARD = APP | {"pushToken": TOKEN, "installation": "phone-1", "locale": "pt-BR",
              "frequentUpdates": True, "osMajor": 18, "appBuild": "7"}
POLICY = {
    "thresholds": {"delayStepSeconds": 900}, "rules": {"driverReassigned": "ambient"},
    "quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Europe/Berlin",
                   "except": ["arriving"]},
    "words": "keys", "keys": {"delivered.title": "ORDER_IS_THERE"},
    "texts": {"pl": {"late.title": "Zamówienie"}},
}
ACTIVITY = "/v1/activities/probe-1"
ROUTES = [
    ("PUT", "/v1/start-tokens/phone-1/PizzaDelivery",
     {key: CARD[key] for key in CARD if key != "installation"} | {"topics": ["customer:42"]}),
    ("GET", "/v1/start-tokens/phone-1/PizzaDelivery", None),
    ("DELETE", "/v1/start-tokens/phone-1/PizzaDelivery", None),
    ("PUT", f"{ACTIVITY}/audience",
     {"topics": ["customer:42", "team:ARG"], "notBefore": "2026-05-01T12:00:00Z"}),
    ("GET", f"{ACTIVITY}/audience", None),
    ("PUT", f"{ACTIVITY}/channels/com.example.pizza",
     {"environment": "sandbox", "storagePolicy": "newest"}),
    ("GET", f"{ACTIVITY}/channels/com.example.pizza", None),
    ("POST", f"{ACTIVITY}/channel", APP | {"installation": "phone-2", "osMajor": 18}),
    ("POST", f"{ACTIVITY}/registrations", CARD),
    ("POST", f"{ACTIVITY}/registrations/rotation", {"from": TOKEN, "to": TOKEN[::-1]}),
    ("POST", f"{ACTIVITY}/registrations/report", {"installation": "phone-2", "state": "stale"}),
    ("POST", f"{ACTIVITY}/registrations/removal", {"pushToken": TOKEN}),
    ("POST", f"{ACTIVITY}/tickets", {"ttlSeconds": 3600}),
    ("PUT", "/v1/policies/PizzaDelivery", POLICY),
    ("GET", "/v1/policies/PizzaDelivery?version=1", None),
    ("GET", "/v1/policies/PizzaDelivery/strings?language=de", None),
    ("GET", f"{ACTIVITY}/why?version=1", None),
    ("GET", f"{ACTIVITY}/decisions?after=0&limit=2&wait=0", None),
    ("GET", "/v1/activities?kind=PizzaDelivery&q=ada&limit=2", None),
]
PHONE = {"name": "Ann", "environment": "sandbox", "iosVersion": "18.0", "appKilled": False,
         "olderState": {"kind": "Match", "required": ["a"], "cases": {"b": ["c"]}}}
CONTROL = [
    ("POST", "/phones", PHONE | {"kind": "PizzaDelivery", "activity": "probe-1"}),
    ("POST", "/phones/phone-1/activities",
     {"kind": "PizzaDelivery", "activity": "probe-2"}),
    ("POST", "/phones/phone-1/start-tokens", {"kind": "PizzaDelivery"}),
    ("POST", "/phones/phone-1/rotation", {"activity": "probe-1"}),
    ("POST", "/phones/phone-1/rotation", {"kind": "PizzaDelivery"}),
    ("POST", "/faults", {"refuse": "ServiceUnavailable", "count": 1, "of": "broadcasts"}),
    ("POST", "/faults", {"kill": "phone-1", "reason": "Unregistered"}),
    ("POST", "/faults", {"dismiss": "phone-1"}),
    ("POST", "/faults", {"broadcast": False}),
    ("POST", "/faults", {"delay": {"p50": 0.01, "p99": 0.1}, "after": 3600, "for": 1}),
    ("POST", "/faults", {"answer": "TooManyRequests", "share": 0.5, "of": "channels", "for": 1}),
    ("POST", "/faults", {"away": "*", "share": 0.5, "for": 1}),
    ("POST", "/silent-tokens", {"count": 3}), ("POST", "/provider-tokens", None),
    ("POST", "/phones/phone-1/settings", {"frequentUpdates": True}),
    ("GET", "/phones", None), ("GET", "/phones/phone-1", None), ("GET", "/pushes", None),
    ("GET", "/broadcasts", None), ("GET", "/channels", None), ("GET", "/credentials", None),
]
# Each may replace any value of a body.
VALUES = [
    None, True, 0, -1, 1 << 31, 1 << 63, 1 << 200, 1e308, 0.1, "", " ", "\0", "a\0b", "\ud800",
    "\u202e", "🍕" * 60, "a" * 300, "a" * 70_000, "9" * 5_000, "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z", "2026-02-30T25:61:61+99:99", "'; --", "%s%n", "../..",
    [], {}, [[]], [None] * 200, ["customer:42"] * 101, {"": ""}, {"a": {"b": []}},
]
# Each may replace any part of a path, or a parameter's value.
PARTS = [
    "", "%00", "%ff", "%2F", "%2e%2e", "..", "%F0%9F%8D%95" * 60, "a" * 3_000, "-1", "0", "%20",
    "9223372036854775807", "9223372036854775808", "1e9", "nan", "%ED%A0%80", "*", "%25", "'",
]


def run(server, prober, simulator, seed):
    """Tries all routes of a server and of a simulator's control port; returns what failed.

    `prober` and `simulator` send to the one and to the other.
    """
    chance = random.Random(seed)
    ticket = _ticket(server)
    cases = [(prober, request)
             for request in _requests(chance, prober, ROUTES)
             + [_with_key(chance, prober, ticket) for _ in range(ROUNDS)]]
    cases += [(simulator, request) for request in _requests(chance, simulator, CONTROL)]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        found = [problem for problem in pool.map(lambda case: _attempt(*case), cases) if problem]
    print(f"{len(cases)} requests that are nearly right, {len(found)} failed", flush=True)
    return found


def _requests(chance, prober, routes):
    plain = [_request(prober, *route) for route in routes]
    return plain + [
        _request(prober, *_changed(chance, *route)) for _ in range(ROUNDS) for route in routes]


def _request(prober, method, target, body):
    if body is None:
        return prober.request(method, target, "Connection: close\r\n")
    # Half of a surrogate pair goes out as the escape that it is.
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = ("Content-Type: application/json\r\nConnection: close\r\n"
              f"Content-Length: {len(text)}\r\n")
    return prober.request(method, target, fields, text)


def _changed(chance, method, target, body):
    if body is None or chance.random() < 0.15:
        return method, _changed_target(chance, target), body
    kind = chance.randrange(6)
    if kind == 0:
        text = bytearray(json.dumps(body).encode())
        text[chance.randrange(len(text))] = chance.randrange(256)
        return method, target, bytes(text)
    if kind == 1:
        return method, target, chance.choice(VALUES)
    body = json.loads(json.dumps(body))
    name = chance.choice(list(body))
    if kind == 2:
        del body[name]
    elif kind == 3:
        body[chance.choice(["x", "", "\0", "a" * 5_000, name.upper()])] = chance.choice(VALUES)
    elif kind == 4 and isinstance(body[name], (dict, list)) and body[name]:
        keys = list(body[name]) if isinstance(body[name], dict) else range(len(body[name]))
        body[name][chance.choice(keys)] = chance.choice(VALUES)
    else:
        body[name] = chance.choice(VALUES)
    return method, target, body


def _changed_target(chance, target):
    path, _, query = target.partition("?")
    if query and chance.random() < 0.7:
        pairs = [pair.split("=") for pair in query.split("&")]
        chance.choice(pairs)[1] = chance.choice(PARTS)
        return path + "?" + "&".join("=".join(pair) for pair in pairs)
    parts = path.split("/")
    parts[chance.randrange(1, len(parts))] = chance.choice(PARTS)
    return "/".join(parts) + ("?" + query if query else "")


def _ticket(server):
    request = urllib.request.Request(
        f"{server.url}{ACTIVITY}/tickets", data=b"{}", method="POST",
        headers={"Authorization": f"Bearer {server.make_key('probes', 'admin')}",
                 "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as answer:
        return json.load(answer)["ticket"]


def _with_key(chance, prober, ticket):
    """A ticket of which some bytes are others, or that is cut short or doubled."""
    text = bytearray(ticket.encode())
    kind = chance.randrange(4)
    if kind == 0:
        text[chance.randrange(len(text))] = chance.randrange(33, 127)
    elif kind == 1:
        del text[chance.randrange(len(text)):]
    elif kind == 2:
        text += bytes(text)
    else:
        text[chance.randrange(len(text))] = chance.randrange(128, 256)
    key = text.decode("latin-1")
    return (f"GET {ACTIVITY} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
            "Connection: close\r\n\r\n").encode("latin-1")


def _attempt(prober, data):
    started = time.monotonic()
    statuses, closed = prober.exchange(data, 2 * ANSWER_SECONDS_MAX)
    took = time.monotonic() - started
    shown = data[:2_000]
    if not statuses or not closed:
        return f"request {shown!r}: answers {statuses}, no end after {took:.0f} s"
    # 501 and 505 refuse codings and versions.
    if any(status >= 500 and status not in (501, 505) for status in statuses):
        return f"request {shown!r}: answers {statuses}"
    return f"request {shown!r}: took {took:.0f} s" if took > ANSWER_SECONDS_MAX else None
