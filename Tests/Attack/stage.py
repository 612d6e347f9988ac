"""Where the attacks take place: a server with everything around it, and what is watched."""

import asyncio
import contextlib
import dataclasses
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request

from client import HOSTILE, OTHER, Client
from measure.server import Server
from measure.simulator import Simulator

HERE = pathlib.Path(__file__).resolve().parent
# A request of somebody else that is asked for every now and then, and how long it may take.
PROBE_EVERY_SECONDS = 0.5
PROBE_SECONDS_MAX = 5.0
# Of an attack that says nothing else.
GROWTH_MB_MAX = 128
# Another tenant's p99 may be this many times as long as without the attack …
FACTOR_MAX = 3.0
# … or this long, below which three times as long is the scheduling of a machine with two cores.
FLOOR_MILLIS = 50.0
# Beside other tests and not optimised, only a hang counts.
SHORT_FLOOR_MILLIS = 5_000.0
SETTLE_SECONDS_MAX = 6


@dataclasses.dataclass
class Finding:
    """One line of the table."""

    what: str
    measured: str
    bound: str
    passed: bool


class Crashed(Exception):
    pass


class Stage:
    """A server with a simulated Apple. Use it in a `with` statement."""

    def __init__(self, root, output, islet, chance, is_short):
        self.root, self.output, self.islet = root, output, islet
        self.chance, self.is_short = chance, is_short
        # The short form runs beside other tests, with a program that is not optimised.
        self.floor_millis = SHORT_FLOOR_MILLIS if is_short else FLOOR_MILLIS
        self.server = self.simulator = None
        self._keys = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self):
        self.simulator = self._stack.enter_context(
            Simulator(self.islet, self.output, ("--seed", "1")))
        ports = self.simulator.ask("/credentials")
        master = self.output / "master.key"
        master.write_text("5c" * 32 + "\n", encoding="utf-8")
        master.chmod(0o600)
        self.options = (
            "--apns-url", f"https://127.0.0.1:{ports['apnsPort']}",
            "--apns-key-file", str(self.output / "AuthKey.p8"),
            "--apns-key-id", ports["keyID"], "--apns-team-id", ports["teamID"],
            "--apns-authority-file", str(self.output / "authority.pem"),
            "--master-key-file", str(master), "--webhook-allow-private")
        return self

    def __exit__(self, *_):
        self._stack.close()

    def ready(self, is_secure=False):
        """Starts the server when there is none, or no more, or not the one that is wanted.

        - Parameter is_secure: with a certificate, so that it speaks HTTP/2."""
        if self.server and (self.server.process.poll() is not None
                            or (self.server.context is not None) != is_secure):
            self.stop()
        if self.server is None:
            self._server = contextlib.ExitStack()
            self._stack.push(self._server)
            tls = self._certificate() if is_secure else ()
            self.server = self._server.enter_context(self.another(options=self.options + tls))
            self._keys = {}

    def _certificate(self):
        files = [str(self.output / name) for name in ("certificate.pem", "tls.key")]
        subprocess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", "90", "-subj", "/CN=127.0.0.1", "-out", files[0],
            "-keyout", files[1]], check=True, stderr=subprocess.DEVNULL)
        return ("--tls-certificate", files[0], "--tls-key", files[1])

    def stop(self):
        self._server.close()
        self.server = None

    def another(self, options=(), prefix=(), roles=()):
        """A server beside, for an attack that needs other circumstances."""
        return Server(
            self.root, self.output, roles=roles, tenant="attack", options=options,
            # As it comes, since its own bounds are what is tried.
            limits=(), islet=self.islet, prefix=prefix)

    @property
    def port(self):
        return self.server.port

    @property
    def bundle(self):
        return self.simulator.ask("/credentials")["bundleID"]

    def key(self, tenant, *scopes):
        if (tenant, scopes) not in self._keys:
            self.run_islet("tenants", "create", tenant, check=True)
            self._keys[tenant, scopes] = self.server.make_key(tenant, *scopes)
        return self._keys[tenant, scopes]

    def client(self, key=None, source=None):
        return Client(self.port, key, source or HOSTILE, self.server.context)

    def run_islet(self, *arguments, check=False, database=True, **options):
        """Runs the program as an operator does; returns what `subprocess.run` does."""
        where = ["--data-dir", self.server.data] if database else []
        options = {"timeout": 60, "stdin": subprocess.DEVNULL, **options}
        return subprocess.run(
            [self.islet, *arguments, *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, check=check, **options)

    async def ticket(self, key, activity, seconds=3_600):
        client = self.client(key)
        answer = await client.post(f"/v1/activities/{activity}/tickets", {"ttlSeconds": seconds})
        await client.close()
        return answer.json()["ticket"]

    def seconds(self, long, short):
        return short if self.is_short else long

    def check_life(self):
        if self.server.process.poll() is not None:
            raise Crashed(f"the server ended with {self.server.process.returncode}")

    def wait_for_end(self, seconds):
        try:
            self.server.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass


class Watch:
    """Looks at a server while it is attacked: whether it lives, what it uses, and whether
    somebody else is answered."""

    def __init__(self, server, growth_mb_max=GROWTH_MB_MAX, probes=True):
        self.server, self.growth_mb_max, self.probes = server, growth_mb_max, probes
        self.before = self.peak = resident_mb(server.process.pid)
        self.unanswered = self.asked = 0
        self.slowest = 0.0

    async def __aenter__(self):
        self._tasks = [asyncio.create_task(self._measure())]
        if self.probes:
            self._tasks.append(asyncio.create_task(self._probe()))
        return self

    async def __aexit__(self, *_):
        await end(self._tasks)

    async def findings(self):
        """What is checked in every attack."""
        code = self.server.process.poll()
        if code is not None:
            return [Finding("the server's life", f"ended with {code}", "lives", False)]
        grown = self.peak - self.before
        found = [Finding("growth of its memory", f"{self.before:.0f} + {grown:.0f} MB",
                         f"≤ {self.growth_mb_max} MB", grown <= self.growth_mb_max)]
        if self.probes:
            found.append(Finding(
                "others unanswered", f"{self.unanswered} of {self.asked}, "
                f"slowest {self.slowest:.2f} s", "0", self.unanswered == 0))
        took = await asyncio.to_thread(healthy_after, self.server, 10)
        found.append(Finding(
            "well afterwards", "never" if took is None else f"after {took:.1f} s", "≤ 5 s",
            took is not None and took <= 5))
        return found

    async def _measure(self):
        while (now := resident_mb(self.server.process.pid)) is not None:
            self.peak = max(self.peak, now)
            await asyncio.sleep(0.1)

    async def _probe(self):
        while True:
            await asyncio.sleep(PROBE_EVERY_SECONDS)
            client = Client(self.server.port, source=OTHER, tls=self.server.context)
            began = time.monotonic()
            answer = await client.request("GET", "/v1/schemas", seconds=PROBE_SECONDS_MAX)
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.asked += 1
            self.unanswered += answer is None or answer.status != 200
            await client.close()


def resident_mb(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)) / 1_000
    except (OSError, AttributeError):
        return None


def healthy_after(server, seconds):
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            urllib.request.urlopen(f"{server.url}/healthz", timeout=5,
                                   context=server.context).close()
            return time.monotonic() - began
        except OSError:
            time.sleep(0.1)
    return None


class Victim:
    """Another tenant's requests, with their times; see victim.py."""

    def __init__(self, server, key, mode="kept", rate=50):
        self.arguments = [str(server.port), mode, str(rate), "tls" if server.context else "plain"]
        self.key = key
        self.rows = []

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, str(HERE / "victim.py"), *self.arguments,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        self.process.stdin.write(self.key.encode())
        self.process.stdin.close()
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_):
        self.process.terminate()
        await self.process.wait()
        self._reading.cancel()

    async def _read(self):
        async for line in self.process.stdout:
            at, took, status = line.split()
            self.rows.append((float(at), float(took), int(status)))

    def between(self, spans):
        return [row for row in self.rows if any(a <= row[0] < b for a, b in spans)]


async def turn_about(stage, attack, turns, idle_seconds, hostile_seconds, mode="kept", rate=50,
                     server=None, floor_millis=None):
    """Measures another tenant with and without the attack in turns, as the machine is not alone.

    - `attack`: a coroutine function that goes on until it is cancelled.
    - Returns: findings about refusals and the p99."""
    server = server or stage.server
    key = stage.key("victim")
    idle, hostile = [], []
    async with Victim(server, key, mode, rate) as victim:
        await asyncio.sleep(1)
        for _ in range(turns):
            # What the attack left behind is no idle time.
            await settle(server)
            began = time.monotonic()
            await asyncio.sleep(idle_seconds)
            idle.append((began, time.monotonic()))
            task = asyncio.create_task(attack())
            began = time.monotonic()
            await asyncio.wait([task], timeout=hostile_seconds)
            hostile.append((began, time.monotonic()))
            if task.done() and task.exception():
                raise task.exception()
            await end([task])
        # Those that were sent last are still under way.
        await asyncio.sleep(1.5)
        quiet, loud = victim.between(idle), victim.between(hostile)
    return compare(quiet, loud, max(stage.floor_millis, floor_millis or 0))


async def settle(server):
    """Returns when requests are answered as quickly as before, or that takes too long."""
    client = Client(server.port, source=OTHER, tls=server.context)
    deadline = time.monotonic() + SETTLE_SECONDS_MAX
    quick = 0
    while quick < 5 and time.monotonic() < deadline:
        began = time.monotonic()
        await client.request("GET", "/healthz")
        quick = quick + 1 if time.monotonic() - began < 0.05 else 0
        await asyncio.sleep(0.1)
    await client.close()


async def end(tasks):
    """Cancels, and returns when they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def compare(quiet, loud, floor_millis):
    good = [took for _, took, status in loud if status in (200, 201)]
    refused = [status for _, _, status in loud if status not in (0, 200, 201)]
    lost = [status for _, _, status in loud if status == 0]
    base = percentile([took for _, took, _ in quiet], 99)
    # One that was not answered took at least as long as was waited.
    bad = percentile([took for _, took, _ in loud], 99)
    bound = max(FACTOR_MAX * base, floor_millis)
    middle = statistics.median(good) if good else float("nan")
    calm = statistics.median([took for _, took, _ in quiet] or [0])
    return [
        Finding("another tenant refused", f"{len(refused)} of {len(loud)}"
                + (f" ({most(refused)})" if refused else ""), "0", not refused),
        Finding("another tenant unanswered", f"{len(lost)} of {len(loud)}", "0",
                bool(loud) and not lost),
        Finding("another tenant's p99", f"{base:.0f} → {bad:.0f} ms (p50 {calm:.1f} → "
                f"{middle:.1f})", f"≤ {bound:.0f} ms", bool(quiet and loud) and bad <= bound)]


def most(values):
    return max(set(values), key=values.count)


def percentile(values, percent):
    if not values:
        return float("nan")
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]
