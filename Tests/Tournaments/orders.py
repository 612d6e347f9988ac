"""What must be true of an order."""

import re

import clock
from verdict import (IN_TIME_SECONDS, NEWS_SECONDS, Verdict, check_alerts, ended_at, pushes,
                     reports)

# A delay is worth a word at so much behind the promise, and silence past it at twice that.
DELAY_STEP_SECONDS = 600
OVERDUE_SECONDS = 1_200


class Known:
    """What some events say of an order."""

    def __init__(self, events):
        self.types = {event["type"].removeprefix("PizzaDelivery.") for event in events}
        self.promised, self.estimates, self.driver = None, [], None
        self.reported = clock.seconds(events[-1]["recordedat"]) if events else 0
        newest = ""
        for event in events:
            data = event["data"]
            if "promisedAt" in data:
                self.promised = clock.seconds(data["promisedAt"])
            # One that a later report had overtaken before it came was never shown.
            if "estimatedAt" in data and event["time"] >= newest:
                newest = event["time"]
                self.estimates.append(clock.seconds(data["estimatedAt"]))
            self.driver = data.get("driverName", self.driver)

    @property
    def has_ended(self):
        return "OrderDelivered" in self.types

    @property
    def delay(self):
        """The worst that was reported, in seconds behind the promise."""
        if self.promised is None or not self.estimates:
            return 0
        return max(self.estimates) - self.promised


def contradiction(alert, events):
    known = Known(events)
    bodies = alert.body.split(" · ")
    if alert.title == "Delivered":
        if len(bodies) > 1:
            return f"who has the order reads “{bodies[1]}”"
        return None if known.has_ended else "it was not delivered"
    if known.has_ended:
        return "it was delivered"
    minutes = re.search(r"(\d+) minutes? (later than promised|past the promise)", bodies[0])
    if alert.title == "Driver assigned":
        return None if known.driver else "nobody had reported a driver"
    if alert.title == "Running late" and minutes:
        stated = int(minutes[1])
        if minutes[2] == "later than promised":
            delays = {round((estimate - known.promised) / 60) for estimate in known.estimates}
            near = any(abs(stated - delay) <= 1 for delay in delays)
            return None if near else f"the estimates were {sorted(delays)} minutes late"
        past = (alert.at - known.promised) / 60
        if not stated - 1 <= past <= stated + 2:
            return f"it was {past:.1f} minutes past the promise"
        silent = alert.at - known.reported
        return None if silent >= DELAY_STEP_SECONDS else f"there was news {silent:.0f} s ago"
    return "nothing is known of such an alert"


def judge(played):
    verdict = Verdict()
    alerts, events, end = pushes(played, verdict), reports(played), ended_at(played)
    verdict.count("events", len(events))
    verdict.count("results")
    check_alerts(alerts, events, contradiction, verdict)
    state = played.state["contentState"]
    if state.get("stage") == played.story.stated["stage"]:
        verdict.count("right on the server")
    else:
        verdict.findings.append(f"the server ends with {state.get('stage')}")
    card = played.shown["activities"][0]["contentState"]
    if end is not None and card.get("stage") == played.story.stated["stage"]:
        verdict.count("right on the phone")
    else:
        verdict.findings.append(f"the phone ends with {card.get('stage')}, ended: {end}")
    _judge_delivery(alerts, events, verdict)
    _judge_delays(alerts, events, verdict)
    return verdict


def _judge_delivery(alerts, events, verdict):
    delivered = next((e for e in events if e["type"].endswith("OrderDelivered")), None)
    said = [alert for alert in alerts if alert.title == "Delivered"]
    if delivered is None:
        return
    recorded = clock.seconds(delivered["recordedat"])
    late = recorded - clock.seconds(delivered["time"]) > NEWS_SECONDS
    if len(said) == 1 and said[0].at - recorded <= IN_TIME_SECONDS:
        verdict.count("told once, in time")
    elif not said and late:
        verdict.count("no news any more")
    else:
        verdict.count("deliveries not told well")
        verdict.findings.append(f"the delivery was told {len(said)} times, of "
                                f"{delivered['recordedat']}: {[a.at - recorded for a in said]}")


def _judge_delays(alerts, events, verdict):
    """People hear of a delay that was reported in time, and of silence past the promise."""
    said = [alert for alert in alerts if alert.title == "Running late"]
    verdict.count("told as late", bool(said))
    # Also while another report of the order is due.
    for number, event in enumerate(events):
        before, after = Known(events[:number]), Known(events[:number + 1])
        recorded = clock.seconds(event["recordedat"])
        grown = int(after.delay // DELAY_STEP_SECONDS) > max(
            0, int(before.delay // DELAY_STEP_SECONDS))
        fresh = recorded - clock.seconds(event["time"]) <= NEWS_SECONDS
        if not grown or not fresh or after.has_ended or after.promised is None:
            continue
        verdict.count("delays")
        if any(0 <= alert.at - recorded <= IN_TIME_SECONDS for alert in said):
            verdict.count("delays told in time")
        elif _is_overtaken(events, number):
            verdict.count("delays overtaken")
        else:
            verdict.count("silent delays")
            verdict.findings.append(f"{event['recordedat']} silent: {after.delay / 60:.0f} min")
    for number, event in enumerate(events):
        known = Known(events[:number + 1])
        following = (clock.seconds(events[number + 1]["recordedat"])
                     if number + 1 < len(events) else None)
        if known.has_ended or known.promised is None or following is None:
            continue
        # From when on there is nothing but silence.
        waited = max(known.promised, *known.estimates, known.reported)
        if following - waited > 2 * OVERDUE_SECONDS and not any(
                known.reported <= alert.at <= following for alert in said):
            verdict.count("silence not told")
            verdict.findings.append(
                f"{(following - waited) / 60:.0f} min of silence, and nobody was told")


def _is_overtaken(events, number):
    """The next report came at once, and the order is delivered or an estimate is newer."""
    recorded = clock.seconds(events[number]["recordedat"])
    return any(clock.seconds(event["recordedat"]) - recorded <= 5
               and event["type"].endswith(("OrderDelivered", "EstimateRevised"))
               for event in events[number + 1:])
