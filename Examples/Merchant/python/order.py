"""Reports an order and its driver with the SDK of CloudEvents; sent again, it is known already."""
import datetime, os, urllib.request
from cloudevents.core.bindings.http import to_structured_event
from cloudevents.core.v1.event import CloudEvent

now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
number = int(now.timestamp())


def report(step, type, data):
    event = CloudEvent({"id": f"{number}-{step}", "source": "/shop", "specversion": "1.0",
                        "type": f"PizzaDelivery.{type}", "subject": f"order-{number}", "time": now,
                        "datacontenttype": "application/json"}, data)
    message = to_structured_event(event)
    headers = dict(message.headers, authorization=f"Bearer {os.environ['KEY']}")
    request = urllib.request.Request(f"{os.environ['ISLET']}/v1/events", message.body, headers)
    print(urllib.request.urlopen(request, timeout=20).read().decode())


report("placed", "OrderPlaced", {"orderNumber": str(number), "numberOfPizzas": 2, "totalAmount": "€24.00",
                                 "promisedAt": (now + datetime.timedelta(minutes=40)).isoformat()})
report("driver", "DriverAssigned", {"driverName": "Ada"})
