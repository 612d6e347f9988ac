#!/usr/bin/env python3
"""A plain writer: psql inserts one row at a time, and is started again when it fails.

    writer.py URL

It keeps its connection as long as that works. A row that takes longer than a few seconds is given
up and tried again, since libpq itself waits for ever for a server that hangs. Prints for each row
that Postgres acknowledged when that was (monotonic seconds) and its number.
"""

import os
import select
import subprocess
import sys
import time

PAUSE_SECONDS = 0.1
ROW_SECONDS_MAX = 3.0
# Of a psql that tries one host after the other.
CONNECT_SECONDS_MAX = 10.0


class Session:
    """One psql."""

    def __init__(self, url):
        self.process = subprocess.Popen(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", url], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.is_fresh = True

    def insert(self, number):
        """Whether Postgres acknowledged the row in time."""
        sql = f"INSERT INTO plain.row (n) VALUES ({number});\n\\echo {number}\n"
        try:
            self.process.stdin.write(sql.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        seconds = CONNECT_SECONDS_MAX if self.is_fresh else ROW_SECONDS_MAX
        self.is_fresh = False
        deadline = time.monotonic() + seconds
        answer = b""
        while not answer.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return False
            received = os.read(self.process.stdout.fileno(), 64)
            if not received:
                return False
            answer += received
        return answer.strip() == str(number).encode()

    def end(self):
        self.process.kill()
        self.process.wait()


def main(url):
    session = None
    number = 0
    while True:
        # A new number even after a failure: the row may be there.
        number += 1
        session = session or Session(url)
        if session.insert(number):
            print(f"{time.monotonic():.4f} {number}", flush=True)
        else:
            session.end()
            session = None
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (KeyboardInterrupt, BrokenPipeError):
        pass
