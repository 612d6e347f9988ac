"""A clock that runs faster for those that see it.

Islet, its Postgres and the simulator are started with `clock.c` preloaded: they read the time of
day from a page that a process of its own moves on. So every threshold of the product stays as it is
built in, and an hour passes in minutes. Timers go by another clock and take as long as without it.
"""

import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
from datetime import datetime, timezone

HERE = pathlib.Path(__file__).resolve().parent
# Between two steps; a step is as long for everybody who waits for an answer meanwhile.
STEP_SECONDS = 0.002
# A machine that stands still takes the clock with it, and one that is busy makes it slower.
STEP_SECONDS_MAX = 0.01


class Clock:
    """Use it in a `with` statement. It runs at the pace of the world until `run` is called."""

    def __init__(self, directory):
        self.path = pathlib.Path(directory) / "clock"
        self.library = pathlib.Path(directory) / "clock.so"

    def __enter__(self):
        compiler = next((found for name in ("cc", "clang", "gcc") if (found := shutil.which(name))),
                        None)
        if compiler is None:
            raise SystemExit("there is no C compiler; install clang or gcc")
        subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-shared", "-fPIC",
                        str(HERE / "clock.c"), "-o", str(self.library)], check=True)
        # The second number is the pace.
        self.path.write_bytes(struct.pack("qd", time.time_ns() // 1000, 1.0))
        for file in (self.path, self.library):
            file.chmod(0o644)
        self._file = open(self.path, "r+b")
        self._page = mmap.mmap(self._file.fileno(), 16)
        self._ticker = subprocess.Popen([sys.executable, __file__, str(self.path)],
                                        stdin=subprocess.PIPE)
        return self

    def __exit__(self, *_):
        # It ends with its input.
        self._ticker.stdin.close()
        self._ticker.wait(timeout=10)
        self._page.close()
        self._file.close()

    @property
    def prefix(self):
        """Words before a command that is to see this clock."""
        return ("env", f"LD_PRELOAD={self.library}", f"TOURNAMENT_CLOCK={self.path}")

    def run(self, pace):
        self._page[8:16] = struct.pack("d", pace)

    @property
    def now(self):
        """Unix seconds."""
        return struct.unpack("q", self._page[:8])[0] / 1e6


def text(seconds):
    """As RFC 3339 has it."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _tick(path):
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 16) as page:
        micros, _ = struct.unpack("qd", page[:])
        now, last = float(micros), time.monotonic()
        os.set_blocking(0, False)
        while True:
            time.sleep(STEP_SECONDS)
            passed = time.monotonic() - last
            last += passed
            now += min(passed, STEP_SECONDS_MAX) * struct.unpack("d", page[8:16])[0] * 1e6
            page[:8] = struct.pack("q", int(now))
            try:
                if os.read(0, 1) == b"":
                    return
            except BlockingIOError:
                pass


if __name__ == "__main__":
    _tick(sys.argv[1])
