"""Whether a long log takes events as fast as a short one."""

from . import report
from .filling import fill
from .intake import post
from .server import Server

SHORT = 100_000
LONG = 10_000_000


def _growth(root, output, rounds, seconds):
    """The same posts in turns to two servers, whose logs differ in nothing but length."""
    long_posts, short_posts = [], []
    with Server(root, output, tenant="long") as long, Server(root, output, tenant="short") as short:
        fill(short, "short", SHORT)
        print(f"filling a log with {LONG:,} events", flush=True)
        fill(long, "long", LONG)
        for server in (long, short):
            post(server, 4, 100, 1)
        for _ in range(rounds):
            long_posts.append(post(long, 4, 100, seconds))
            short_posts.append(post(short, 4, 100, seconds))
    return report.figure(
        "W4", f"POST of 100 events to a log of {LONG // 1_000_000} million", "events/s",
        [one[0] for one in long_posts], f"the same to a log of {SHORT // 1000} thousand",
        [one[0] for one in short_posts], goal=0.9, cpu_micros=[one[2] for one in long_posts],
        against_cpu_micros=[one[2] for one in short_posts])


# Takes minutes and 10 GB: only on demand.
MEASUREMENTS = {"W4": _growth}
