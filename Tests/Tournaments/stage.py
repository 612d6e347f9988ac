"""A release server with a private Postgres, a simulated Apple, and a phone for each story."""

import asyncio
import contextlib
import heapq
import json
import random
import time
import urllib.parse
from dataclasses import dataclass, field

import clock
from client import Client
from measure.server import Server
from measure.simulator import Simulator

CONNECTIONS = 24
ATTEMPTS_MAX = 5
# A report that is not answered for so long makes the clock slower, until all are answered and for
# some time after.
SLOW_SECONDS = 0.3
SLOWER = 4
RECOVERY_SECONDS = 1


@dataclass
class Played:
    """A story on the stage, and what came of its reports."""

    set: str
    disorder: str
    story: object
    reports: list
    # When its beginning is, in Unix seconds of the stage's clock.
    beginning: float
    phone: str = ""
    # How many reports were recorded, and what was wrong with others.
    recorded: int = 0
    problems: list = field(default_factory=list)
    # Once all is over: the phone, and the server's state.
    shown: dict = None
    state: dict = None
    events: list = field(default_factory=list)
    decisions: list = field(default_factory=list)

    @property
    def tenant(self):
        return f"{self.set}-{self.disorder}".lower().replace(" ", "-").replace(",", "")


class Stage:
    """Use it in a `with` statement."""

    def __init__(self, root, output, islet, seed):
        self.root, self.output, self.islet, self.seed = root, output, islet, seed

    def __enter__(self):
        self._stack = contextlib.ExitStack()
        self.clock = self._stack.enter_context(clock.Clock(self.output))
        self.simulator = self._stack.enter_context(Simulator(
            self.islet, self.output, ("--seed", str(self.seed)), prefix=self.clock.prefix))
        apple = self.simulator.ask("/credentials")
        self.bundle = apple["bundleID"]
        self.server = self._stack.enter_context(Server(
            self.root, self.output, roles=(), tenant="tournaments", islet=self.islet,
            prefix=self.clock.prefix, options=(
                "--apns-url", f"https://127.0.0.1:{apple['apnsPort']}",
                "--apns-key-file", str(self.output / "AuthKey.p8"),
                "--apns-key-id", apple["keyID"], "--apns-team-id", apple["teamID"],
                "--apns-authority-file", str(self.output / "authority.pem"))))
        return self

    def __exit__(self, *_):
        self._stack.close()

    def seat(self, stories, make_reports, set, disorder, spread):
        """Reports of the stories, whose beginnings are spread over some seconds from now on."""
        seated = []
        for story in stories:
            chance = random.Random(f"{self.seed} {set} {disorder} {story.activity}")
            reports = sorted(make_reports(story, chance), key=lambda report: report.due)
            seated.append(Played(set, disorder, story, reports, chance.uniform(0, spread)))
        return seated

    async def play(self, seated, policies, pace, say):
        """Plays everything side by side, and waits until the last card is over."""
        self._keys, self._slow_until = {}, 0
        for tenant, kind, disorder in sorted({(p.tenant, p.story.kind, p.disorder)
                                              for p in seated}):
            self._keys[tenant] = self.server.make_key(tenant, "admin")
            if policy := policies.get(disorder):
                await self._ask(Client(self.server.port, self._keys[tenant]), "PUT",
                                f"/v1/policies/{kind}", policy)
        say(f"== {len(seated)} phones and {sum(len(p.reports) for p in seated)} reports")
        free = asyncio.Queue()
        for _ in range(CONNECTIONS):
            free.put_nowait((Client(self.server.port), Client(self.simulator.port)))
        self._free = free
        # A beginning is later than all cards' starts, which happen at the pace of the world.
        start = self.clock.now + 60 + len(seated) * 0.05
        for played in seated:
            played.beginning += start - played.story.begins
        await asyncio.gather(*(self._register(played) for played in seated))
        await self._report(seated, pace, say)
        self.clock.run(pace)
        await self._wait_for_ends(seated, say)
        self.clock.run(1)
        await asyncio.sleep(2)
        await asyncio.gather(*(self._look(played) for played in seated))

    async def _ask(self, client, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"}
        for attempt in range(ATTEMPTS_MAX):
            answer = await client.request(method, path, data, kind if data else None, seconds=30)
            if answer is not None and answer.status not in (429, 503):
                return answer
            await asyncio.sleep(0.2 * 2 ** attempt)
        raise SystemExit(f"{method} {path} was not answered")

    @contextlib.asynccontextmanager
    async def _clients(self, played):
        server, simulator = await self._free.get()
        server.key = self._keys[played.tenant]
        try:
            yield server, simulator
        finally:
            self._free.put_nowait((server, simulator))

    async def _register(self, played):
        story = played.story
        async with self._clients(played) as (server, simulator):
            answer = await self._ask(simulator, "POST", "/phones", {
                "name": f"{played.tenant} {story.activity}", "kind": story.kind,
                "activity": story.activity, "attributes": story.attributes})
            if answer.status != 201:
                raise SystemExit(f"no phone: {answer.body.decode()}")
            phone = answer.json()
            played.phone = phone["id"]
            answer = await self._ask(
                server, "POST", f"/v1/activities/{_quoted(story.activity)}/registrations",
                {"pushToken": phone["pushToken"], "environment": "sandbox",
                 "bundleId": self.bundle})
            if answer.status not in (200, 201):
                raise SystemExit(f"not registered: {answer.body.decode()}")

    async def _report(self, seated, pace, say):
        """A feed reports one fact of an activity after the other, each when it is due."""
        due = [(played.beginning + played.reports[0].due, number, 0)
               for number, played in enumerate(seated)]
        heapq.heapify(due)
        told, under_way = self.clock.now, {}
        while due or under_way:
            now = self.clock.now
            self._keep_pace(pace, under_way.values())
            while due and due[0][0] <= now:
                _, number, index = heapq.heappop(due)
                task = asyncio.create_task(self._send(seated[number], index))
                under_way[task] = time.monotonic()

                def sent(task, number=number, index=index + 1):
                    del under_way[task]
                    task.result()
                    played = seated[number]
                    if index < len(played.reports):
                        at = played.beginning + played.reports[index].due
                        heapq.heappush(due, (at, number, index))

                task.add_done_callback(sent)
            if now - told > 1_800:
                told = now
                say(f"   {clock.text(now)[11:16]}: "
                    f"{sum(p.recorded for p in seated)} reports recorded")
            await asyncio.sleep(0.004)

    def _keep_pace(self, pace, sent):
        """A machine that is busy with something else takes longer, and is given the time: else a
        phone would drop what is half a minute old by the stage's clock."""
        waits = bool(sent) and time.monotonic() - min(sent) > SLOW_SECONDS
        if waits:
            self._slow_until = time.monotonic() + RECOVERY_SECONDS
        self.clock.run(pace / SLOWER if time.monotonic() < self._slow_until else pace)

    async def _send(self, played, index):
        report, story = played.reports[index], played.story
        fact = report.fact
        data = {name: clock.text(played.beginning + value) if name in story.times else value
                for name, value in fact.data.items()}
        event = {"specversion": "1.0", "id": report.id, "source": f"/{story.kind.lower()}",
                 "type": fact.type, "subject": story.activity, "schemaversion": fact.version,
                 "time": clock.text(played.beginning + fact.at), "data": data}
        async with self._clients(played) as (server, _):
            answer = await self._ask(server, "POST", "/v1/events", event)
        if answer.status not in (200, 201):
            played.problems.append(f"{fact.type} was refused: {answer.body.decode()[:300]}")
            return
        played.recorded += answer.json()["events"][0]["outcome"] == "recorded"

    async def _wait_for_ends(self, seated, say):
        """An hour and a half of the stage's clock after the last report, at most."""
        deadline = self.clock.now + 5_400
        left = list(seated)
        while left and self.clock.now < deadline:
            await asyncio.sleep(1)
            still = []
            for played in left:
                async with self._clients(played) as (_, simulator):
                    answer = await self._ask(simulator, "GET", f"/phones/{played.phone}")
                card = answer.json()["activities"][0]
                if card["phase"] not in ("ended", "dismissed"):
                    still.append(played)
            left = still
        say(f"   {clock.text(self.clock.now)[11:16]}: {len(left)} cards have not ended")

    async def _look(self, played):
        path = f"/v1/activities/{_quoted(played.story.activity)}"
        async with self._clients(played) as (server, simulator):
            played.shown = (await self._ask(simulator, "GET", f"/phones/{played.phone}")).json()
            played.state = (await self._ask(server, "GET", path)).json()
            played.events = await self._list(server, path, "events")
            played.decisions = await self._list(server, path, "decisions")

    async def _list(self, server, path, name):
        found, after = [], 0
        while True:
            page = (await self._ask(
                server, "GET", f"{path}/{name}?limit=500&after={after}")).json()
            found += page[name]
            if not page.get("next"):
                return found
            after = page[name][-1]["version"]


def _quoted(text):
    return urllib.parse.quote(text, safe="")
