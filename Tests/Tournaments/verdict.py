"""Whether phones got what they should, by what was recorded and when. Nothing here is Islet's:
scores are counted once more."""

from dataclasses import dataclass, field

import clock

# What happened longer ago alerts nobody; the product's own standard.
NEWS_SECONDS = 900
# From being recorded to being on the phone, by the stage's clock.
IN_TIME_SECONDS = 30
# What a push may not know yet that was recorded so long before it.
ON_ITS_WAY_SECONDS = 20


@dataclass
class Verdict:
    """Of one story. Figures are added up; findings are sentences."""

    figures: dict = field(default_factory=dict)
    findings: list = field(default_factory=list)

    def count(self, name, number=1):
        self.figures[name] = self.figures.get(name, 0) + number


@dataclass
class Said:
    """An alert as the phone presented it."""

    at: float
    title: str
    body: str


def pushes(played, verdict):
    """Alerts of the phone's log, and what is wrong with any push."""
    alerts = []
    for entry in played.shown["log"]:
        if entry.get("timestamp") is None:
            continue
        verdict.count("pushes")
        at = clock.seconds(entry["at"])
        if entry["outcome"] not in ("shown", "ended"):
            verdict.count("pushes not shown")
            verdict.findings.append(f"{clock.text(at)} {entry['outcome']}: {entry['sentence']}")
        for warning in entry["warnings"]:
            verdict.findings.append(f"{clock.text(at)} warning: {warning}")
        if alert := entry.get("alert"):
            alerts.append(Said(at, alert["title"], alert["body"]))
    verdict.count("alerts", len(alerts))
    verdict.findings += played.problems
    return alerts


def reports(played):
    """What sources reported, with the times at which it was recorded."""
    return [event for event in played.events
            if event["type"].startswith(f"{played.story.kind}.")]


def ended_at(played):
    """When the card ended; None when it has not."""
    for entry in played.shown["log"]:
        if entry["outcome"] == "ended":
            return clock.seconds(entry["at"])
    return None


def windows(events, at):
    """How many of the events an alert at that time may rest on, the newest first."""
    known = sum(clock.seconds(event["recordedat"]) <= at for event in events)
    yield known
    while known and clock.seconds(events[known - 1]["recordedat"]) > at - ON_ITS_WAY_SECONDS:
        known -= 1
        yield known


def check_alerts(alerts, events, contradiction, verdict):
    """Each alert is true by what was recorded before it."""
    for alert in alerts:
        reasons = [contradiction(alert, events[:known]) for known in windows(events, alert.at)]
        if all(reasons):
            verdict.count("false words")
            verdict.findings.append(
                f"{clock.text(alert.at)} false: “{alert.title} – {alert.body}”: {reasons[0]}")
