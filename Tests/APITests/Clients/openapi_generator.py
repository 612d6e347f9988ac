"""Plays a story with the client that openapi-generator makes of the document; it needs Java.

usage: openapi_generator.py BASE_URL        (the API key comes in ISLET_KEY)
"""

import importlib
import inspect
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from expecting import expect, fetch_document, operations

BASE = sys.argv[1]
ORDER = "order-43"
PACKAGE = "islet_by_java"


def make_client(folder):
    if shutil.which("java") is None:
        raise SystemExit("failed: there is no Java; tools/setup --for-tests installs it")
    document, path = fetch_document(BASE, folder)
    run = subprocess.run(
        [Path(sys.executable).parent / "openapi-generator-cli", "generate", "--generator-name",
         "python", "--input-spec", path, "--output", Path(folder, "made"), "--package-name",
         PACKAGE],
        capture_output=True, text=True, check=False)
    expect("openapi-generator: it has made a client", (run.returncode, run.stderr), (0, ""))
    sys.path.insert(0, str(Path(folder, "made")))
    client = importlib.import_module(PACKAGE)
    for module in pkgutil.walk_packages(client.__path__, f"{PACKAGE}."):
        importlib.import_module(module.name)
    made = {name for api in vars(importlib.import_module(f"{PACKAGE}.api")).values()
            if inspect.isclass(api) for name in vars(api)}
    expect("openapi-generator: every operation is there", operations(document) - made, set())
    return client


def play(islet):
    client = islet.ApiClient(islet.Configuration(host=BASE, access_token=os.environ["ISLET_KEY"]))
    intake, log = islet.IntakeApi(client), islet.LogApi(client)
    activities, phones = islet.ActivitiesApi(client), islet.PhonesApi(client)

    def event(id, type, data):
        return islet.Event.from_dict({
            "specversion": "1.0", "id": id, "source": "/java", "type": type, "subject": ORDER,
            "time": "2027-01-15T08:00:00Z", "traceparent": "00-2", "data": data})

    placed = event("1", "PizzaDelivery.OrderPlaced", {
        "orderNumber": "43", "numberOfPizzas": 2, "totalAmount": "$31.50",
        "promisedAt": "2027-01-15T08:40:00Z"})
    accepted = intake.append_events(placed)
    expect("openapi-generator: an event has a place",
           accepted.actual_instance.events[0].version, 1)
    intake.append_events(event("2", "PizzaDelivery.DriverAssigned", {"driverName": "Ada"}))
    page = log.read_log(activity=ORDER)
    expect("openapi-generator: an event comes back with its trace",
           [one.to_dict()["traceparent"] for one in page.events], ["00-2", "00-2"])
    shown = activities.show_activity(ORDER)
    expect("openapi-generator: a card has a phase", (shown.kind, shown.phase),
           ("PizzaDelivery", "live"))
    rows = activities.list_decisions(ORDER).decisions
    expect("openapi-generator: each event has a decision", len(rows), 2)
    answer = phones.register_phone(ORDER, islet.Registration(
        pushToken="b" * 64, environment="sandbox", bundleId="com.example.pizza"))
    expect("openapi-generator: a phone is registered", answer.outcome, "registered")
    try:
        activities.show_activity("nowhere")
        problem = None
    except islet.exceptions.NotFoundException as error:
        problem = error.data.type
    expect("openapi-generator: a problem has a type", problem, "/problems/unknown-activity")


with tempfile.TemporaryDirectory() as folder:
    play(make_client(folder))
