"""Freight as orders of the pizza kind: parcels of which each step was measured, and shipments that
were reported days after they came.

A card lives for eight hours, so a minute of Cargo 2000 stands for half a second, and a day of the
other set for a minute. What takes longer than a card lives even so is left out and counted.
"""

import csv
from collections import defaultdict
from datetime import date

from sets import Fact, Story

LENGTH_SECONDS_MAX = 5 * 3_600
SECONDS_PER_MINUTE = 0.5
SECONDS_PER_DAY = 60
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def orders(data):
    """Name of each set and its orders, and how many of it were left out."""
    sets = {}
    for name, path, read in (
            ("Air freight", "cargo2000/shipments.csv", _cargo),
            ("Health commodities", "usaid-scms/line_items.csv", _health)):
        path = data / "deliveries" / path
        if not path.exists():
            continue
        with open(path, encoding="utf-8", newline="") as file:
            stories = list(read(csv.DictReader(file)))
        kept = [story for story in stories
                if story.facts[-1].at <= LENGTH_SECONDS_MAX and story.stated["length"] > 0]
        sets[name] = (kept, len(stories) - len(kept))
    return sets


def _order(activity, promised, pizzas, facts):
    placed = Fact(0, "PizzaDelivery.OrderPlaced", {
        "orderNumber": activity, "numberOfPizzas": pizzas, "totalAmount": "prepaid",
        "promisedAt": promised})
    facts = [placed, *sorted(facts, key=lambda fact: fact.at)]
    return Story("PizzaDelivery", activity, facts, {
        "stage": "delivered", "promised": promised, "length": facts[-1].at},
        {"numberOfPizzas": pizzas, "totalAmount": "prepaid", "orderNumber": activity})


def _cargo(rows):
    for row in rows:
        legs = {leg: _leg(row, leg) for leg in ("i1", "i2", "i3", "o")}
        inbound = [leg for name, leg in legs.items() if leg and name != "o"]
        outbound = legs["o"]
        planned = (max((sum(m[1] for m in leg) for leg in inbound), default=0)
                   + sum(m[1] for m in outbound))
        facts, ready = [], 0
        for leg in inbound:
            now = 0
            for step, _, actual in leg:
                now += actual
                if step == "rcs":
                    facts.append(Fact(now, "PizzaDelivery.OrderAccepted", {}))
                elif step in ("dep", "rcf"):
                    facts.append(Fact(now, "PizzaDelivery.PreparationStarted", {}))
            ready = max(ready, now)
        facts.append(Fact(ready, "PizzaDelivery.OrderReady", {}))
        now, left = ready, sum(m[1] for m in outbound)
        for step, plan, actual in outbound:
            now += actual
            left -= plan
            facts.append(Fact(now, "PizzaDelivery.EstimateRevised", {"estimatedAt": now + left}))
            if step == "rcs":
                facts.append(Fact(now, "PizzaDelivery.DriverAssigned", {"driverName": "Carrier"}))
            elif step == "dep":
                facts.append(Fact(now, "PizzaDelivery.OrderPickedUp", {}))
            elif step == "dlv":
                facts.append(Fact(now, "PizzaDelivery.OrderDelivered", {}))
        yield _order(f"cargo-{row['nr']}", planned, len(inbound), facts)


def _leg(row, leg):
    """Its milestones: step, planned and actual time since the one before."""
    if row[f"{leg}_legid"] in ("0", "?"):
        return []

    def milestone(name):
        return name[:3], *(
            int(row[f"{leg}_{name}_{end}"]) * SECONDS_PER_MINUTE for end in "pe")

    steps = [milestone("rcs")]
    for hop in range(1, int(row[f"{leg}_hops"]) + 1):
        steps += [milestone(f"dep_{hop}"), milestone(f"rcf_{hop}")]
    return [*steps, milestone("dlv")]


def _health(rows):
    shipments = defaultdict(list)
    for row in rows:
        shipments[row["ASN/DN #"]].append(row)
    for name, items in sorted(shipments.items()):
        ordered = _day(items[0]["PO Sent to Vendor Date"])
        scheduled = _day(items[0]["Scheduled Delivery Date"])
        delivered = max(_day(item["Delivered to Client Date"]) for item in items)
        recorded = max(_day(item["Delivery Recorded Date"]) for item in items)
        # Sentinels stand where a date is not known.
        ordered = min(ordered or scheduled - 30, scheduled, delivered)
        # It was typed in days later.
        end = Fact((delivered - ordered) * SECONDS_PER_DAY, "PizzaDelivery.OrderDelivered", {},
                   delay=max(0, recorded - delivered) * SECONDS_PER_DAY)
        yield _order(f"scms-{name}", (scheduled - ordered) * SECONDS_PER_DAY, 1, [end])


def _day(text):
    """`11/13/06` or `2-Jun-06` as a number of days; None for the words of an unknown one."""
    for separator in "/-":
        parts = text.split(separator)
        if len(parts) == 3 and parts[2].isdigit():
            month, day = (int(parts[0]), int(parts[1])) if separator == "/" else (
                MONTHS.index(parts[1]) + 1, int(parts[0]))
            return date(2000 + int(parts[2]), month, day).toordinal()
    return None
