"""Folds orders with the Python library eventsourcing: the same facts as R1's, in its own table.

    refold.py HOST USER EVENTS      prints events folded per second

Selecting, decoding and folding are the library's own: its recorder, its mapper with its JSON
transcoder, and its aggregates.
"""

import os
import sys
import time
from datetime import datetime, timezone

# Named by a string below, and by then this process may be another user who cannot read it.
import eventsourcing.postgres  # noqa: F401
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

EVENTS_PER_ORDER = 20
PAGE = 4_000
PROMISED = datetime(2026, 5, 1, 12, 40, tzinfo=timezone.utc)
EXPECTED = datetime(2026, 5, 1, 12, 20, tzinfo=timezone.utc)


class Order(Aggregate):
    @event("Placed")
    def __init__(self, number: str, pizzas: int, total: str, promised_at: datetime):
        self.number, self.pizzas, self.total = number, pizzas, total
        self.promised_at = self.expected_at = promised_at
        self.stage, self.driver, self.distance = "placed", None, None

    @event("Accepted")
    def accept(self):
        self.stage = "accepted"

    @event("DriverAssigned")
    def assign(self, driver: str):
        self.driver = driver

    @event("PickedUp")
    def pick_up(self, expected_at: datetime):
        self.stage, self.expected_at = "pickedUp", expected_at

    @event("Located")
    def locate(self, distance: int, expected_at: datetime, note: str):
        self.distance, self.expected_at = distance, expected_at

    @event("Delivered")
    def deliver(self):
        self.stage = "delivered"


def write(application, orders):
    for number in range(orders):
        order = Order(str(number), 2, "$31.50", PROMISED)
        order.accept()
        order.assign("Ada Lovelace")
        order.pick_up(EXPECTED)
        for _ in range(EVENTS_PER_ORDER - 5):
            order.locate(1200, EXPECTED, "x" * 60)
        order.deliver()
        application.save(order)


def refold(application):
    recorder, mapper = application.recorder, application.mapper
    orders, folded, position = {}, 0, 0
    while notifications := recorder.select_notifications(position + 1, PAGE):
        for notification in notifications:
            fact = mapper.to_domain_event(notification)
            key = fact.originator_id
            orders[key] = fact.mutate(orders.get(key))
        folded += len(notifications)
        position = notifications[-1].id
    assert all(order.stage == "delivered" for order in orders.values())
    return folded


def main():
    host, user, events = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.environ.update(
        PERSISTENCE_MODULE="eventsourcing.postgres", POSTGRES_DBNAME="postgres",
        POSTGRES_HOST=host, POSTGRES_PORT="5432", POSTGRES_USER=user, POSTGRES_PASSWORD="none")
    application = Application()
    write(application, events // EVENTS_PER_ORDER)
    start = time.perf_counter()
    folded = refold(application)
    print(folded / (time.perf_counter() - start))
    application.close()


if __name__ == "__main__":
    if os.geteuid() == 0 and "PEER_UID" in os.environ:
        os.setgid(int(os.environ["PEER_GID"]))
        os.setuid(int(os.environ["PEER_UID"]))
    main()
