"""What must be true of a match."""

import clock
from verdict import (IN_TIME_SECONDS, NEWS_SECONDS, Verdict, check_alerts, ended_at, pushes,
                     reports)

# A correction of the result says it, for as long as it is news.
RESULTS = ("Full time: ", "Correction: ")


class Known:
    """What some events say of a match."""

    def __init__(self, events):
        self.goals, self.kicks, self.cards = {}, {}, []
        self.types, self.begun, self.ended = set(), set(), set()
        # When the match ended, and when its last kick was taken, as far as was recorded.
        self.over_at = self.kicked_at = 0
        for event in events:
            happened = clock.seconds(event["time"])
            type, data = event["type"].removeprefix("Match."), event["data"]
            self.types.add(type)
            if type == "GoalScored":
                self.goals[data["goalID"]] = data
            elif type == "ShootoutKickTaken":
                scored = data.get("scored", data.get("result") == "scored")
                self.kicks[data["number"]] = (data["team"], scored)
                self.kicked_at = max(self.kicked_at, happened)
            elif type == "FullTimeReached":
                self.over_at = max(self.over_at, happened)
            elif type == "CardShown":
                self.cards.append(data)
            elif type == "PeriodStarted":
                self.begun.add(data["period"])
            elif type == "PeriodEnded":
                self.ended.add(data["period"])
            if (data.get("minute") or 0) > 90 and "addedMinutes" not in data:
                self.begun.add("extraTimeFirstHalf")

    def lacks_kicks(self):
        return len(self.kicks) != max(self.kicks, default=0)

    def is_decided(self):
        """Full time came after all kicks, and they have a winner."""
        first, second = self.shootout() or (0, 0)
        return self.over_at >= self.kicked_at > 0 and first != second and not self.lacks_kicks()

    def is_past(self, body):
        """Whether a text tells of a period that a later one, or the end, has followed."""
        shootout = bool(self.kicks) or "ShootoutStarted" in self.types
        extra = bool(self.begun & {"extraTimeFirstHalf", "extraTimeSecondHalf"})
        return {"The first half is over.": "secondHalf" in self.begun or extra or shootout,
                "Extra time has begun.": shootout,
                "The shoot-out is on.": self.is_decided()}.get(body, False)

    def score(self):
        return tuple(sum(goal["team"] == side for goal in self.goals.values())
                     for side in ("home", "away"))

    def shootout(self):
        if not self.kicks:
            return None
        return tuple(sum(scored and team == side for team, scored in self.kicks.values())
                     for side in ("home", "away"))


def credit(goal):
    """Who and when, as the alert says it."""
    minute = f"{goal['minute']}"
    if goal.get("addedMinutes"):
        minute += f"+{goal['addedMinutes']}"
    suffix = {"penalty": " (penalty)", "ownGoal": " (own goal)"}.get(goal.get("kind"), "")
    return f"{goal.get('player', '')} {minute}'{suffix}".strip()


def contradiction(teams):
    def of(alert, events):
        known = Known(events)
        title, bodies = alert.title, alert.body.split(" · ")
        score = "{}–{}".format(*known.score())
        if not title.startswith("Red card") and f" {score} " not in title:
            return f"the score was {score}"
        if title.startswith("Goal!") and not any(
                credit(goal) == bodies[0] for goal in known.goals.values()):
            return "no such goal was recorded"
        if title.startswith(RESULTS):
            return _of_result(bodies[0], known, teams)
        if title.startswith("Half-time") and "firstHalf" not in known.ended:
            return "the first half had not ended"
        if title.startswith("Extra time") and not known.begun & {
                "extraTimeFirstHalf", "extraTimeSecondHalf"}:
            return "nobody had reported extra time"
        if title.startswith("Penalties") and not (
                known.kicks or "ShootoutStarted" in known.types):
            return "nobody had reported a shoot-out"
        if title.startswith("Penalties") and known.is_decided():
            return "the shoot-out was over"
        if title.startswith("Red card") and not any(
                card["card"] != "yellow" for card in known.cards):
            return "no such card was recorded"
        stale = [body for body in bodies[1:] if known.is_past(body)]
        return f"“{stale[0]}” was past" if stale else None

    return of


def _of_result(body, known, teams):
    if "FullTimeReached" not in known.types:
        return "full time had not been reported"
    home, away = known.score()
    if body == "It ends level.":
        return "it was not level" if home != away or known.kicks else None
    if body.endswith("on penalties."):
        first, second = known.shootout() or (0, 0)
        if known.lacks_kicks():
            return "kicks were missing"
        winner = teams[0] if first > second else teams[1]
        expected = f"{winner} win {max(first, second)}–{min(first, second)} on penalties."
        return None if first != second and body == expected else f"it was {first}–{second}"
    expected = f"{teams[0] if home > away else teams[1]} win."
    return None if home != away and body == expected else f"it was {home}–{away}"


def judge(played):
    verdict, story = Verdict(), played.story
    teams = (story.attributes["homeTeam"], story.attributes["awayTeam"])
    alerts, events, end = pushes(played, verdict), reports(played), ended_at(played)
    verdict.count("events", len(events))
    check_alerts(alerts, events, contradiction(teams), verdict)
    _judge_goals(alerts, events, end, verdict)
    _judge_result(played, alerts, events, end, teams, verdict)
    return verdict


def _judge_goals(alerts, events, end, verdict):
    seen = set()
    for number, event in enumerate(events):
        goal = event["data"]
        if event["type"] != "Match.GoalScored" or goal["goalID"] in seen:
            continue
        seen.add(goal["goalID"])
        verdict.count("goals")
        recorded = clock.seconds(event["recordedat"])
        said = [alert for alert in alerts
                if alert.title.startswith("Goal!") and credit(goal) in alert.body.split(" · ")
                or credit(goal) in alert.body.split(" · ")[1:]]
        # Once the result was sent, a correction of it tells of a goal.
        score = "{}–{}".format(*Known(events[:number + 1]).score())
        corrections = [alert for alert in alerts if alert.title.startswith("Correction: ")
                       and f" {score} " in alert.title
                       and 0 <= alert.at - recorded <= IN_TIME_SECONDS]
        late = recorded - clock.seconds(event["time"]) > NEWS_SECONDS
        if len(said) > 1:
            verdict.count("goals told twice")
            verdict.findings.append(f"told {len(said)} times: {credit(goal)}")
        elif said and said[0].at - recorded <= IN_TIME_SECONDS:
            verdict.count("told once, in time")
        elif said:
            verdict.count("goals told too late")
            verdict.findings.append(
                f"told {said[0].at - recorded:.0f} s after it was recorded: {credit(goal)}")
        elif corrections:
            verdict.count("told by a correction")
        elif end is not None and recorded > end - 1:
            verdict.count("recorded after the card's end")
        elif late:
            verdict.count("no news any more")
        else:
            verdict.count("silent goals")
            verdict.findings.append(f"{event['recordedat']} silent: {credit(goal)}")


def _judge_result(played, alerts, events, end, teams, verdict):
    stated = played.story.stated
    state = played.state["contentState"]
    verdict.count("results")
    if _result(state) != (stated["score"], stated["shootout"]) or state["status"] != "finished":
        verdict.findings.append(f"the server ends with {_result(state)}, {state['status']}; "
                                f"the source says {stated}")
    else:
        verdict.count("right on the server")
    if end is None:
        verdict.findings.append("the card has not ended")
        return
    card = played.shown["activities"][0]["contentState"]
    if _result(card) == (stated["score"], stated["shootout"]):
        verdict.count("right on the phone")
    else:
        known = Known([event for event in events if clock.seconds(event["recordedat"]) < end])
        if _result(card) == (known.score(), known.shootout()):
            verdict.count("ended before the source knew")
        else:
            verdict.findings.append(
                f"the phone ends with {_result(card)}; {known.score()}, {known.shootout()} was "
                f"recorded, and the source says {stated}")
    recorded = [event for event in events if clock.seconds(event["recordedat"]) < end]
    told = [alert for alert in alerts if alert.title.startswith(RESULTS)]
    if told:
        if reason := contradiction(teams)(told[-1], recorded):
            verdict.count("results overturned in silence")
            verdict.findings.append(
                f"the last word was “{told[-1].title} – {told[-1].body}”: {reason}")
        return
    late = min(clock.seconds(event["recordedat"]) - clock.seconds(event["time"])
               for event in events if event["type"] == "Match.FullTimeReached")
    if Known(recorded).lacks_kicks():
        verdict.count("results that missing kicks left open")
    elif late > NEWS_SECONDS:
        verdict.count("results that were no news")
    else:
        verdict.findings.append("nobody was told the result")


def _result(state):
    kicks = (state.get("shootoutHome"), state.get("shootoutAway"))
    return ((state["homeScore"], state["awayScore"]), None if kicks[0] is None else kicks)
