"""What real feeds do wrong. Each disorder makes reports of a story: what is sent, and when."""

import copy
from dataclasses import dataclass

# How long a feed takes that is well.
PROMPT_SECONDS = 2
OF_PERIODS = ("Match.PeriodStarted", "Match.PeriodEnded", "Match.ShootoutStarted")
EXTRA = ("extraTimeFirstHalf", "extraTimeSecondHalf")


@dataclass
class Report:
    """`due` and the fact's `at` are seconds since the story's beginning."""

    due: float
    fact: object
    id: str


def as_converted(story, random):
    """Everything once, in order, within two seconds."""
    return [Report(fact.at + fact.delay + random.uniform(0, PROMPT_SECONDS), fact,
                   f"{story.activity}-{fact.number}") for fact in story.facts]


def delays(story, random):
    """A third is late: half of it by up to ten minutes, the rest by up to an hour."""
    reports = as_converted(story, random)
    for report in reports[1:]:
        chance = random.randrange(6)
        if chance < 2:
            report.due += random.uniform(0, 3_600 if chance else 600)
    return reports


def repeats(story, random):
    """A third comes again within ten minutes: as it was, or under another id."""
    reports = as_converted(story, random)
    for report in list(reports):
        if random.randrange(3) == 0:
            id = report.id if random.randrange(2) else report.id + "-again"
            reports.append(Report(report.due + random.uniform(1, 600), report.fact, id))
    return reports


def missing_periods(story, random):
    """The second half begins up to an hour late or not at all, and a third of the other periods'
    reports never come. Of an order, a third of the steps never come."""
    reports = []
    for report in as_converted(story, random):
        type, data = report.fact.type, report.fact.data
        if type == "Match.PeriodStarted" and data["period"] == "secondHalf":
            if random.randrange(2):
                continue
            report.due += random.uniform(0, 3_600)
        elif type in OF_PERIODS or type in (
                "PizzaDelivery.PreparationStarted", "PizzaDelivery.OrderAccepted",
                "PizzaDelivery.OrderPickedUp", "PizzaDelivery.EstimateRevised"):
            if random.randrange(3) == 0:
                continue
        reports.append(report)
    return reports


def false_full_times(story, random):
    """Full time is reported once too early: before the last goal or kick, or when extra time
    begins. None in a match where nothing follows within a quarter of an hour of its end."""
    reports = as_converted(story, random)
    end = reports[-1].fact
    extra = [r.fact for r in reports if r.fact.data.get("period") in EXTRA]
    news = [r.fact for r in reports
            if r.fact.type in ("Match.GoalScored", "Match.ShootoutKickTaken")]
    if extra and random.randrange(2):
        at = extra[0].at - 290
    elif news and (end.at - news[-1].at < 900 or news[-1].type == "Match.ShootoutKickTaken"):
        at = news[-1].at - 20
    else:
        return reports
    early = copy.copy(end)
    early.at = at
    return [*reports, Report(at + random.uniform(0, PROMPT_SECONDS), early,
                             f"{story.activity}-early")]


def unstated_extra_time(story, random):
    """Nothing is said of extra time, and minutes count on: a goal is of minute 94 or 108."""
    reports = []
    for report in as_converted(story, random):
        data = report.fact.data
        if data.get("period") in EXTRA:
            continue
        if data.get("minute") and data["minute"] >= 90 and "addedMinutes" in data:
            report.fact = copy.copy(report.fact)
            report.fact.data = {key: value for key, value in data.items()
                                if key != "addedMinutes"}
            report.fact.data["minute"] = data["minute"] + data["addedMinutes"]
        reports.append(report)
    return reports


MATCHES = {"as converted": as_converted, "delays": delays, "repeats": repeats,
           "missing periods": missing_periods, "false full-times": false_full_times,
           "unstated extra time": unstated_extra_time}
ORDERS = {"as converted": as_converted, "delays": delays, "repeats": repeats,
          "missing steps": missing_periods}
# What the guide to policies recommends for such feeds.
POLICIES = {"false full-times": {"thresholds": {"endGraceSeconds": 600}}}
