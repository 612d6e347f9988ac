"""What a server gives out to be sent back: cursors, ids, tags, tickets, and links of pages.

They are collected from real answers, and each is sent back as something else: its numbers beyond
their ends, cut, doubled, with a part of another, or as another tenant's. No answer may be a 5xx,
be missing or be late, and what belongs to one tenant opens nothing for another.
"""

import concurrent.futures
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request

from bodies import ACTIVITY, ANSWER_SECONDS_MAX, CARD, _attempt

ROUNDS = 30
NUMBERS = [
    "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "9007199254740991", "9007199254740992", "4294967296", "2147483648",
    "253402300800000000", "-62167219200000001", "-1", "-0", "+1", "0", "00", "1.5", "1e400",
    "nan", "inf", "0x7f", "9" * 5_000, "0" * 5_000, "%EF%BC%91", "", "-",
]
EVENT = {
    "specversion": "1.0", "source": "/opaque", "type": "PizzaDelivery.DriverAssigned",
    "time": "2026-05-01T12:00:00Z", "data": {"driverName": "Ada"},
}
# Where values are sent back to; `{}` stands for one.
PLACES = [
    "/v1/dead-letters?after={}", "/v1/dead-letters?activity={}", "/v1/dead-letters?since={}",
    "/v1/events?after={}", "/v1/events?activity={}", "/v1/events?wait={}&after=0",
    "/v1/events/stream?after={}", "/v1/stream?after={}", "/v1/stream?updatedSince={}",
    "/v1/activities?after={}", "/v1/activities?updatedSince=2020-01-01T00:00:00Z&after={}",
    "/v1/activities?updatedSince={}", "/v1/activities?wait={}", "/v1/activities?limit={}",
    "/v1/activities/{}", "/v1/activities/{}/events",
    f"{ACTIVITY}/events?after={{}}", f"{ACTIVITY}/decisions?after={{}}",
    f"{ACTIVITY}/state?version={{}}", f"{ACTIVITY}/state?at={{}}", f"{ACTIVITY}/why?version={{}}",
    "/v1/overview?since={}", "/v1/policies/PizzaDelivery?version={}", "/v1/webhooks/{}",
    "/v1/schemas/Match.GoalScored?version={}",
]
FIELDS = ["Last-Event-ID", "If-None-Match", "Authorization"]


def run(server, prober, key, other_key, seed):
    """Returns what failed. `key` and `other_key` are of two tenants and reach everything."""
    chance = random.Random(seed)
    mine, theirs = _Harvest(server, key), _Harvest(server, other_key)
    for harvest, name in ((mine, "opaque"), (theirs, "opaque-theirs")):
        harvest.fill(name)
    # Also what nobody has been given in so short a time.
    values = sorted(mine.values | {
        "1777658400000000_push-17", "1777658400000000_start-17-0-order-42", "17-3",
        "push-17", "webhook-9", "start-1-2-a"})
    print(f"{len(values)} opaque values from real answers", flush=True)
    requests = []
    for place in PLACES:
        requests += [_get(prober, place.format(value)) for value in _tries(chance, values)]
        if "after={}" in place:
            requests += [_get(prober, place.format(value)) for value in _ends(values)]
    for method, place in (("POST", "/v1/dead-letters/{}/retry"), ("DELETE", "/v1/dead-letters/{}"),
                          ("DELETE", "/v1/webhooks/{}")):
        requests += [prober.request(method, place.format(value), "Connection: close\r\n")
                     for value in _tries(chance, values)]
    for name in FIELDS:
        for value in _tries(chance, values + sorted(mine.tags)):
            text = urllib.parse.unquote(value, "latin-1").replace("\r", "").replace("\n", "")
            text = text.encode("latin-1", "replace").decode("latin-1")
            target = "/v1/stream" if name == "Last-Event-ID" else ACTIVITY
            requests.append(_get(prober, target, f"{name}: {text}\r\n"))
    for link in sorted(mine.links):
        requests += [_get(prober, _mutated(chance, link, values)) for _ in range(ROUNDS)]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        found = [problem for problem in pool.map(
            lambda data: _attempt_or_stream(prober, data), requests) if problem]
    # One request may end a server, and then all that are open fail.
    if not any("may be gone" in problem for problem in found):
        found += _borrowed(mine, theirs)
    print(f"{len(requests)} requests with opaque values changed, {len(found)} failed", flush=True)
    return found[:20]


class _Harvest:
    """Asks as one tenant and keeps whatever could be sent back."""

    def __init__(self, server, key):
        self.server = server
        self.key = key
        self.values, self.tags, self.links, self.own = set(), set(), set(), set()

    def ask(self, method, target, body=None, key=None):
        """The status and the text of an answer."""
        request = urllib.request.Request(
            self.server.url + target, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key or self.key}",
                     "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as answer:
                tag = answer.headers.get("ETag")
                if tag:
                    self.tags.add(tag)
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def fill(self, name):
        """Reports something and reads it from everywhere."""
        last = 0
        for number in range(6):
            event = EVENT | {"id": f"{name}-{number}", "subject": f"{name}-{number % 3}"}
            _, text = self.ask("POST", "/v1/events", event)
            last = max([last] + [int(found) for found in re.findall(r'"position":(\d+)', text)])
        for number in range(3):
            self.own.add(f"/v1/activities/{name}-{number}")
            path = f"/v1/activities/{name}-{number}"
            self.ask("POST", f"{path}/registrations", CARD | {"installation": f"{name}-{number}"})
            _, text = self.ask("POST", f"{path}/tickets", {})
            self._keep(json.loads(text))
        for target in ("/v1/events?limit=2", f"/v1/activities?limit=1&wait={last}",
                       "/v1/activities?limit=1&updatedSince=2020-01-01T00:00:00Z",
                       f"/v1/activities/{name}-0", f"/v1/activities/{name}-0/events?limit=1",
                       f"/v1/activities/{name}-0/decisions?limit=1", "/v1/dead-letters?limit=1",
                       "/v1/webhooks", "/v1/policies", "/v1/overview"):
            status, text = self.ask("GET", target)
            if status == 200:
                self._keep(json.loads(text))

    def _keep(self, value, name=""):
        if isinstance(value, dict):
            for member, inner in value.items():
                self._keep(inner, member)
        elif isinstance(value, list):
            for inner in value:
                self._keep(inner, name)
        elif name == "next" and isinstance(value, str):
            self.links.add(value)
            query = urllib.parse.urlsplit(value).query
            self.values.update(inner for _, inner in urllib.parse.parse_qsl(query))
        elif name in ("id", "ticket", "position", "head", "version", "time", "recordedat",
                      "expiresAt", "at", "recordedAt") and value is not None:
            self.values.add(str(value))


def _borrowed(mine, theirs):
    """What one tenant was given is nothing to another."""
    found = []
    for path in sorted(mine.own):
        status, _ = theirs.ask("GET", path)
        if status != 404:
            found.append(f"another tenant's {path} answers {status}")
    for value in sorted(mine.values):
        if value.startswith("islet_t1."):
            for path in sorted(theirs.own):
                status, _ = mine.ask("GET", path, key=value)
                if status not in (401, 403, 404):
                    found.append(f"another tenant's ticket on {path} answers {status}")
    for link in sorted(mine.links):
        status, text = theirs.ask("GET", link)
        if status >= 500 or re.search(r'"(?:subject|id)":"opaque-\d"', text):
            found.append(f"another tenant's {link} answers {status}")
    return found


def _tries(chance, values):
    quoted = [urllib.parse.quote(value) for value in values]
    return NUMBERS + [_mutated(chance, chance.choice(quoted), quoted) for _ in range(ROUNDS)]


def _ends(values):
    """Of each form of cursor one, with each of its numbers beyond each end."""
    forms = {re.sub(r"\d+", "#", value): value for value in values
             if re.fullmatch(r"[\w-]{1,60}", value) and re.search(r"\d[_-]", value)}
    for value in forms.values():
        for found in re.finditer(r"(?<!\d)\d+", value):
            for number in NUMBERS[:12]:
                yield value[:found.start()] + number + value[found.end():]


def _mutated(chance, text, values):
    """Another text that begins as this one, or as another."""
    numbers = list(re.finditer(r"-?\d+", text))
    kind = chance.randrange(8)
    if numbers and kind < 4:
        found = chance.choice(numbers)
        new = chance.choice(NUMBERS)
        if kind == 3:
            new = str(int(found.group()[:18]) + chance.choice([-1, 1, 1 << 31, 1 << 62]))
        return text[:found.start()] + new + text[found.end():]
    if kind == 4:
        return text[:chance.randrange(len(text) + 1)]
    if kind == 5:
        return text + chance.choice(["", "-", "_", "%00", "."]) + text
    if kind == 6:
        other = chance.choice(values)
        return text[:chance.randrange(len(text) + 1)] + urllib.parse.quote(
            other[chance.randrange(len(other) + 1):], safe="%")
    at = chance.randrange(len(text) + 1)
    mark = chance.choice(["%00", "%ff", "-", "_", "%2F", "+", "%F0%9F%8D%95"])
    return text[:at] + mark + text[at:]


def _get(prober, target, fields=""):
    # What a request line cannot have is escaped; what is escaped stays.
    target = urllib.parse.quote(target, safe="%/?&=+-_.~:,;!$'()*@")
    head = prober.fields if "Authorization" not in fields else "Host: a\r\n"
    return (f"GET {target} HTTP/1.1\r\n{head}{fields}Connection: close\r\n\r\n").encode("latin-1")


def _attempt_or_stream(prober, data):
    """As any other request, but a stream that was opened has no end."""
    try:
        return _answer(prober, data)
    except OSError as error:
        return f"request {data[:2_000]!r} or one beside it: {error}; the server may be gone"


def _answer(prober, data):
    if b"GET /v1/stream" not in data and b"GET /v1/events/stream" not in data:
        return _attempt(prober, data)
    started = time.monotonic()
    statuses, _ = prober.exchange(data, 1)
    while not statuses and time.monotonic() - started < ANSWER_SECONDS_MAX:
        statuses, _ = prober.exchange(data, ANSWER_SECONDS_MAX)
    if not statuses or any(status >= 500 for status in statuses):
        return f"request {data[:2_000]!r}: answers {statuses}"
    return None
