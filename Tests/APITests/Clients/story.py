"""Plays a story with clients that others wrote, or made from openapi.json.

usage: story.py BASE_URL        (the API key comes in ISLET_KEY)
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import httpx
from expecting import expect, fetch_document, operations

BASE = sys.argv[1]
KEY = os.environ["ISLET_KEY"]
ORDER = "order-42"


# openapi-python-client


def make_client(folder):
    """Makes a package from the document that is served."""
    document, path = fetch_document(BASE, folder)
    run = subprocess.run(
        [Path(sys.executable).parent / "openapi-python-client", "generate", "--path", path,
         "--meta", "none", "--config", Path(__file__).with_name("generator.json"),
         "--output-path", Path(folder, "islet_client")],
        capture_output=True, text=True, cwd=folder, check=True)
    output = run.stdout + run.stderr
    # It makes nothing of streams of lines, and code that cannot run of an operation with arrays in
    # one of several media types; the configuration leaves it application/json, which has both.
    faults = [line for line in output.splitlines() if "Unsupported content type" in line]
    expect("generated: the media types that are left out are those", len(faults), 4)
    expect("generated: nothing else was left out", "Unable to" in output, False)
    sys.path.insert(0, folder)
    api = importlib.import_module("islet_client.api")
    made = {file.stem for file in Path(api.__file__).parent.glob("*/*.py")} - {"__init__"}
    expect("generated: every operation is there", operations(document) - made, set())
    return importlib.import_module("islet_client")


def call(client, module, status, *arguments, **named):
    """The typed answer."""
    operation = importlib.import_module(f"islet_client.api.{module}")
    answer = operation.sync_detailed(*arguments, client=client, **named)
    expect(f"generated: {module} answers {status}", int(answer.status_code), status)
    return answer.parsed


def play(folder):
    islet = make_client(folder)
    models = importlib.import_module("islet_client.models")
    client = islet.AuthenticatedClient(base_url=BASE, token=KEY)

    def event(id, type, data):
        return models.Event.from_dict({
            "specversion": "1.0", "id": id, "source": "/clients", "type": type, "subject": ORDER,
            "time": "2027-01-15T08:00:00Z", "traceparent": "00-1", "data": data})

    placed = event("1", "PizzaDelivery.OrderPlaced", {
        "orderNumber": "42", "numberOfPizzas": 2, "totalAmount": "$31.50",
        "promisedAt": "2027-01-15T08:40:00Z"})
    accepted = call(client, "intake.append_events", 201, body=placed)
    expect("generated: an event has a place", accepted.events[0].version, 1)
    driver = event("2", "PizzaDelivery.DriverAssigned", {"driverName": "Ada"})
    call(client, "intake.append_events", 201, body=[driver])
    page = call(client, "log.read_log", 200)
    expect("generated: an event comes back with its trace",
           [one.to_dict()["traceparent"] for one in page.events], ["00-1", "00-1"])
    shown = call(client, "activities.show_activity", 200, ORDER)
    expect("generated: a card has a phase", (shown.kind, str(shown.phase)),
           ("PizzaDelivery", "live"))
    decisions = call(client, "activities.list_decisions", 200, ORDER)
    expect("generated: each event has a decision", len(decisions.decisions), 2)
    wish = models.Registration.from_dict({
        "pushToken": "a" * 64, "environment": "sandbox", "bundleId": "com.example.pizza"})
    call(client, "phones.register_phone", 201, ORDER, body=wish)
    problem = call(client, "activities.show_activity", 404, "nowhere")
    expect("generated: a problem has a type", str(problem.type_), "/problems/unknown-activity")


# CloudEvents' own SDK


def send_events():
    from cloudevents.core.bindings.http import (
        HTTPMessage, from_structured_event, to_binary_event, to_structured_event)
    from cloudevents.core.v1.event import CloudEvent

    def made(id, **attributes):
        return CloudEvent(
            {"id": id, "source": "/sdk", "type": "PizzaDelivery.DriverAssigned", "subject": ORDER,
             "specversion": "1.0", "time": datetime.now(timezone.utc), **attributes},
            {"driverName": "Ada"})

    def post(message):
        answer = httpx.post(f"{BASE}/v1/events", headers={
            **message.headers, "Authorization": f"Bearer {KEY}"}, content=message.body)
        return answer.status_code

    expect("cloudevents: structured mode", post(to_structured_event(made("s"))), 201)
    expect("cloudevents: binary mode, and no datacontenttype", post(to_binary_event(made("b"))), 201)
    expect("cloudevents: binary mode with datacontenttype and a trace",
           post(to_binary_event(made(
               "t", datacontenttype="application/json", traceparent="00-1"))), 201)
    expect("cloudevents: a dataschema",
           post(to_structured_event(made("d", dataschema="https://example.com/s"))), 201)
    expect("cloudevents: numbers and flags of extensions",
           post(to_structured_event(made("n", sampledrate=3, flag=True))), 201)
    # It gives every event a time itself.
    timeless = to_binary_event(made("w"))
    del timeless.headers["ce-time"]
    expect("cloudevents: without a time", post(timeless), 201)
    page = httpx.get(f"{BASE}/v1/events?activity={ORDER}&limit=500",
                     headers={"Authorization": f"Bearer {KEY}"}).json()["events"]
    found = {}
    for given in page:
        event = from_structured_event(HTTPMessage(
            {"content-type": "application/cloudevents+json"}, json.dumps(given).encode()))
        found[event.get_id()] = event
    expect("cloudevents: what the log gives back are events with their extensions",
           [found["t"].get_extension("traceparent"), found["n"].get_extension("sampledrate"),
            found["n"].get_extension("flag"), found["d"].get_dataschema(),
            found["w"].get_time() is None],
           ["00-1", 3, True, "https://example.com/s", False])
    for name, value in [("expectedVersion", 1), ("traceParent", "00-1")]:
        message = json.dumps({**page[0], "id": name, name: value})
        answer = httpx.post(f"{BASE}/v1/events", content=message, headers={
            "Content-Type": "application/cloudevents+json", "Authorization": f"Bearer {KEY}"})
        expect(f"cloudevents: {name} is refused, and the right name is given",
               (answer.status_code, f"`{name.lower()}`" in answer.json()["detail"]), (422, True))
    asked = httpx.options(f"{BASE}/v1/events", headers={"WebHook-Request-Origin": "a.example"})
    expect("cloudevents: a sender that asks first may deliver",
           (asked.status_code, asked.headers.get("webhook-allowed-origin")), (200, "a.example"))


with tempfile.TemporaryDirectory() as folder:
    play(folder)
send_events()
