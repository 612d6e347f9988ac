"""Processes of a run: each is known by its id, and none outlives the run."""

import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36
END_SECONDS_MAX = 10


class Children:
    """Starts processes, and ends them and all that they started. Use it in a `with` statement."""

    def __init__(self, output):
        self.output = output
        self._running = []
        self._logs = []

    def __enter__(self):
        # What a child leaves behind becomes ours and not that of the machine's first process:
        # Patroni's Postgres does not end with Patroni.
        if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot become a subreaper")
        return self

    def __exit__(self, *_):
        # An impatient user leaves nothing behind either.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self._end_all(signal.SIGTERM, END_SECONDS_MAX)
        self._end_all(signal.SIGKILL, END_SECONDS_MAX)
        for log in self._logs:
            log.close()

    def start(self, name, command, as_postgres=False, env=None, **pipes):
        """Runs a command whose output goes to a log of that name, unless `pipes` say otherwise.

        - Parameter as_postgres: Postgres and Patroni refuse to run as root."""
        log = open(self.output / f"{name}.log", "a", encoding="utf-8")
        self._logs.append(log)
        # In a session of its own, so that ^C reaches only us, who know the order to end them in.
        process = subprocess.Popen(
            as_user(command) if as_postgres else command, env={**os.environ, **(env or {})},
            start_new_session=True, cwd="/", stderr=log,
            stdin=pipes.get("stdin", subprocess.DEVNULL), stdout=pipes.get("stdout", log),
            text=True)
        self._running.append(process)
        return process

    def _end_all(self, number, seconds):
        """Sends all that is left a signal, and waits until nothing is."""
        deadline = time.monotonic() + seconds
        left = descendants(os.getpid())
        for pid in left:
            send(pid, number)
            send(pid, signal.SIGCONT)
        while left and time.monotonic() < deadline:
            for process in self._running:
                process.poll()
            self.reap()
            time.sleep(0.1)
            left = descendants(os.getpid())

    def kill(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        if process in self._running:
            self._running.remove(process)

    def reap(self):
        """Takes leave of the dead that have become ours; Patroni waits for their ids to go."""
        ours = {process.pid for process in self._running}
        for pid, (parent, state) in table().items():
            if parent == os.getpid() and state == "Z" and pid not in ours:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def as_user(command):
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", *command]


def table():
    """Parent and state of every process, by id."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = path.read_text().rsplit(")", 1)[1].split()[:2]
            found[int(path.parent.name)] = (int(parent), state)
    return found


def descendants(pid):
    """Ids of what a process started, and of what that did."""
    parents = {child: parent for child, (parent, _) in table().items()}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def send(pid, number):
    """Without effect for a process that is gone."""
    if pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
