"""The public data as stories: what happened, when, and what the source says came of it.

openfootball's files go through `islet replay convert`. The others are tables of their own shape,
which are read here; nothing of Islet's fold is used, so that its results can be compared.
"""

import csv
import json
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field

from clock import seconds

# Seconds from kick-off by the clock on the wall, with usual breaks.
STARTS = {"firstHalf": 0, "secondHalf": 65 * 60, "extraTimeFirstHalf": 125 * 60,
          "extraTimeSecondHalf": 145 * 60, "shootout": 175 * 60}
LENGTHS = {"firstHalf": 2_700, "secondHalf": 2_700, "extraTimeFirstHalf": 900,
           "extraTimeSecondHalf": 900}
# The minute before each period's first.
MINUTES = {"firstHalf": 0, "secondHalf": 45, "extraTimeFirstHalf": 90, "extraTimeSecondHalf": 105}
PERIODS = list(LENGTHS)


@dataclass
class Fact:
    """What a feed reports: `at` is seconds since the story's beginning."""

    at: float
    type: str
    data: dict
    version: int = 1
    # How long after it the feed knew of it.
    delay: float = 0
    # Its place in the story, by which it keeps its id.
    number: int = 0


@dataclass
class Story:
    """One match or order. `times` names fields of data that are moments, counted as `at` is."""

    kind: str
    activity: str
    facts: list
    # What the source states of the end.
    stated: dict
    attributes: dict
    times: tuple = ("kickoff", "promisedAt", "estimatedAt")
    # When its card appears: seconds, as `at`.
    begins: float = field(default=0)

    def __post_init__(self):
        for number, fact in enumerate(self.facts):
            fact.number = number


def football(data, islet):
    """Name of each set and its matches."""
    sets = {}
    for name, file in (("World Cup 2022", "worldcup-2022"), ("Euro 2020", "euro-2020")):
        path = data / "football" / "openfootball" / f"{file}.json"
        if path.exists():
            sets[name] = list(_openfootball(path, islet))
    folder = data / "football" / "fjelstul"
    if folder.exists():
        for name, tournament in (("World Cup 2022, tables", "WC-2022"),
                                 ("World Cup 2019, tables", "WC-2019")):
            sets[name] = list(_fjelstul(folder, tournament))
    for name, folder in (("Euro 2016", "wyscout"), ("League 2018", "wyscout-league")):
        path = data / "football" / folder
        if path.exists():
            sets[name] = list(_timelines(path))
    return sets


def _match(activity, home, away, competition, facts, stated):
    scheduled = Fact(-3_600, "Match.MatchScheduled", {
        "competition": competition, "homeTeam": home, "awayTeam": away, "kickoff": 0})
    # The end of a feed is in order; events of equal times keep the order of the feed.
    facts = [scheduled, *sorted(facts, key=lambda fact: fact.at)]
    return Story("Match", activity, facts, stated, {
        "sport": "football", "competition": competition, "homeTeam": home, "awayTeam": away},
        begins=-300)


def _openfootball(path, islet):
    converted = subprocess.run(
        [islet, "replay", "convert", str(path), "--from", "openfootball"], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in converted.stderr.splitlines():
        print(f"  {line}")
    stated = {}
    source = json.loads(path.read_text(encoding="utf-8"))
    for game in source.get("matches") or [m for r in source["rounds"] for m in r["matches"]]:
        names = [team if isinstance(team, str) else team["name"]
                 for team in (game["team1"], game["team2"])]
        stated[game["date"], *names] = _stated(game["score"])
    activities = defaultdict(list)
    for line in converted.stdout.splitlines():
        event = json.loads(line)
        activities[event["subject"]].append(event)
    for activity, events in activities.items():
        first = events[0]["data"]
        kickoff = seconds(first["kickoff"])
        facts = [Fact(seconds(event["time"]) - kickoff, event["type"], event["data"],
                      event.get("schemaversion", 1)) for event in events[1:]]
        yield _match(
            activity, first["homeTeam"], first["awayTeam"], first["competition"], facts,
            stated[activity[:10], first["homeTeam"], first["awayTeam"]])


def _stated(score):
    return {"score": tuple(score.get("et") or score["ft"]),
            "shootout": tuple(score["p"]) if "p" in score else None}


def _table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _fjelstul(folder, tournament):
    rows = {name: defaultdict(list) for name in ("goals", "bookings", "substitutions",
                                                 "penalty_kicks")}
    for name, table in rows.items():
        for row in _table(folder / f"{name}.csv"):
            table[row["match_id"]].append(row)
    for match in _table(folder / "matches.csv"):
        if match["tournament_id"] != tournament:
            continue
        number = match["match_id"]
        played = PERIODS if match["extra_time"] == "1" else PERIODS[:2]
        facts, ends = [], {period: LENGTHS[period] for period in played}

        def add(type, row, data, ends=ends, facts=facts):
            period = _period(row["match_period"])
            minute, added = int(row["minute_regulation"]), int(row["minute_stoppage"])
            inside = max(30, (minute - MINUTES[period] + added) * 60 - 30)
            ends[period] = max(ends[period], inside + 30)
            data |= {"minute": minute, "team": "home" if row["home_team"] == "1" else "away"}
            if added:
                data["addedMinutes"] = added
            facts.append(Fact(STARTS[period] + inside, type, data))

        for row in rows["goals"][number]:
            kind = ("ownGoal" if row["own_goal"] == "1" else
                    "penalty" if row["penalty"] == "1" else "openPlay")
            add("Match.GoalScored", row, {"goalID": row["goal_id"], "kind": kind,
                                          "player": _name(row)})
        for row in rows["bookings"][number]:
            card = ("red" if row["red_card"] == "1" else
                    "secondYellow" if row["second_yellow_card"] == "1" else "yellow")
            add("Match.CardShown", row, {"cardID": row["booking_id"], "card": card,
                                         "player": _name(row)})
        substitutions = rows["substitutions"][number]
        for off, on in zip(substitutions[::2], substitutions[1::2]):
            add("Match.PlayerSubstituted", off, {"playerOff": _name(off), "playerOn": _name(on)})
        facts += _periods(ends)
        facts += _kicks(rows["penalty_kicks"][number])
        facts.append(Fact(max(fact.at for fact in facts) + 1, "Match.FullTimeReached", {}))
        pair = [int(match[f"{side}_team_score"]) for side in ("home", "away")]
        kicks = [int(match[f"{side}_team_score_penalties"]) for side in ("home", "away")]
        yield _match(
            number.lower(), match["home_team_name"], match["away_team_name"],
            match["tournament_name"], facts,
            {"score": tuple(pair),
             "shootout": tuple(kicks) if match["penalty_shootout"] == "1" else None})


def _periods(ends):
    for period, end in ends.items():
        yield Fact(STARTS[period] - 0.5, "Match.PeriodStarted", {"period": period})
        yield Fact(STARTS[period] + end, "Match.PeriodEnded", {"period": period})


def _kicks(rows):
    start = STARTS["shootout"]
    if rows:
        yield Fact(start, "Match.ShootoutStarted", {})
    for number, row in enumerate(rows, 1):
        yield Fact(start + number * 45, "Match.ShootoutKickTaken", {
            "number": number, "team": "home" if row["home_team"] == "1" else "away",
            "scored": row["converted"] == "1", "player": _name(row)})


def _period(text):
    if text.startswith("extra time"):
        return "extraTimeFirstHalf" if "first half" in text else "extraTimeSecondHalf"
    return "firstHalf" if text.startswith("first") else "secondHalf"


def _name(row):
    given = row["given_name"]
    return row["family_name"] if given == "not applicable" else f"{given} {row['family_name']}"


WYSCOUT_PERIODS = {"1H": "firstHalf", "2H": "secondHalf", "E1": "extraTimeFirstHalf",
                   "E2": "extraTimeSecondHalf", "P": "shootout"}
WYSCOUT_GOALS = {"goal": "openPlay", "penalty_goal": "penalty", "own_goal": "ownGoal"}
WYSCOUT_CARDS = {"yellow_card": "yellow", "second_yellow_card": "secondYellow", "red_card": "red"}
WYSCOUT_ENDS = ("half_time", "end_of_ninety", "extra_time_half_time", "end_of_extra_time")
WYSCOUT_BEGINNINGS = ("kick_off", "second_half_start", "extra_time_start",
                      "extra_time_second_half_start")


def _timelines(folder):
    matches = json.loads((folder / "matches.json").read_text(encoding="utf-8"))
    rows = defaultdict(list)
    for line in (folder / "timeline.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows[row["match"]].append(row)
    for match in matches:
        home, away = match["home"], match["away"]
        side = {home["team"]: "home", away["team"]: "away"}
        other = {"home": "away", "away": "home"}
        facts, kicks = [], 0
        for row in rows[match["match"]]:
            period, type = WYSCOUT_PERIODS[row["period"]], row["type"]
            inside = row.get("second")
            if inside is None:
                inside = (row["minute"] - MINUTES[period] + row["added"]) * 60 - 30
            at = STARTS[period] + inside
            minute = {"minute": row["minute"]}
            if row["added"]:
                minute["addedMinutes"] = row["added"]
            if type in WYSCOUT_BEGINNINGS:
                facts.append(Fact(at, "Match.PeriodStarted", {"period": period}))
            elif type in WYSCOUT_ENDS:
                facts.append(Fact(at, "Match.PeriodEnded", {"period": period}))
            elif type == "full_time":
                if period != "shootout":
                    facts.append(Fact(at, "Match.PeriodEnded", {"period": period}))
                facts.append(Fact(at + 1, "Match.FullTimeReached", {}))
            elif type in WYSCOUT_GOALS:
                team = side[row["team"]]
                facts.append(Fact(at, "Match.GoalScored", {
                    "goalID": str(row["seq"]), "kind": WYSCOUT_GOALS[type],
                    "team": other[team] if type == "own_goal" else team,
                    "player": row["player"], **minute}))
            elif type in WYSCOUT_CARDS:
                facts.append(Fact(at, "Match.CardShown", {
                    "cardID": str(row["seq"]), "card": WYSCOUT_CARDS[type],
                    "team": side[row["team"]], "player": row["player"], **minute}))
            elif type == "substitution":
                facts.append(Fact(at, "Match.PlayerSubstituted", {
                    "team": side[row["team"]], "playerOn": row["player_in"],
                    "playerOff": row["player"]}))
            elif type == "shootout_start":
                facts.append(Fact(at, "Match.ShootoutStarted", {}))
            elif type.startswith("shootout_"):
                kicks += 1
                facts.append(Fact(at, "Match.ShootoutKickTaken", {
                    "number": kicks, "team": side[row["team"]],
                    "scored": type == "shootout_scored", "player": row["player"]}))
            elif type != "penalty_missed":
                raise SystemExit(f"{folder}: unknown row {type}")
        extra = match["duration"] != "Regular"
        kicked = match["duration"] == "Penalties"
        yield _match(
            f"wyscout-{match['match']}", home["team"], away["team"], match["competition"], facts,
            {"score": tuple(team["score_et" if extra else "score"] for team in (home, away)),
             "shootout": tuple(team["score_p"] for team in (home, away)) if kicked else None})

