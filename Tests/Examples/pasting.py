"""Pastes blocks of the documentation into fresh shells, as they stand."""

import os
import pathlib
import re
import subprocess
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
SECONDS_MAX = 180
# What the reader has typed, and then leaves as the page says.
LEAVE = "\nkill %1 %2\nwait\n"
STOPPED = """for n in $(seq 300); do
    [ -e "$ISLET_DATA_DIR/cluster/postmaster.pid" ] || break
    sleep 0.1
done
"""
WANTED = [r'"outcome":"recorded"']
PUSHED = WANTED + [
    r'"lastAlert":\{"body":"Ada will bring your 2 pizzas."',
    "The rule “driverAssigned” of the built-in policy says why",
    "APNs accepted it for 1 of 1 phone",
]
SHOWN = WANTED + [
    r'"id":"order-\d+"',
    # The text of the card; the seconds that the block took are off.
    r"Arriving in (40:00|39:[0-5]\d)",
    r"order-\d+: 1 event",
]
SEEN = [r'"sentence":"shown quietly"', r'environment production']
UNWANTED = [r"curl: ", r"islet[^:\n]*: ", r"Arriving in 0:00", r" error "]


def blocks(text):
    return [textwrap.dedent(match.group(2)) for match in BLOCK.finditer(text)]


def paste(pages, program):
    """One page after the other in an empty directory, with a data directory that is empty at first,
    and as root with a network of its own.

    - Parameter pages: the terminals of each, and what has to come out of it.
    - Returns: what went wrong, or None."""
    with tempfile.TemporaryDirectory(prefix="islet-paste-") as name:
        directory = pathlib.Path(name)
        # As root the private Postgres runs as another user, who must get through.
        directory.chmod(0o755)
        (directory / ".build" / "release").mkdir(parents=True)
        (directory / ".build" / "release" / "islet").symlink_to(program)
        # The reader has built the program already.
        (directory / "make").write_text('#!/bin/sh\nexec .build/release/islet "$@"\n')
        (directory / "make").chmod(0o755)
        faults = (_fault(directory, *page) for page in pages)
        return next((fault for fault in faults if fault), None)


def _fault(directory, terminals, wanted):
    script = "cd \"$0\"\n"
    if os.geteuid() == 0:
        script = "ip link set lo up\n" + script
    for number, block in enumerate(terminals):
        (directory / f"typed-{number}").write_text(
            block + (LEAVE if len(terminals) == 1 else ""), encoding="utf-8")
    if len(terminals) == 1:
        script += "exec bash --norc -s < typed-0"
    else:
        # As Ctrl-C does, the end of the first terminal reaches all that runs there.
        script += "set -m\nbash --norc typed-0 & bash --norc -s < typed-1\nkill %1\n" + STOPPED
    data = directory / "data"
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("ISLET_") and name != "DATABASE_URL"}
    environment |= {"ISLET_DATA_DIR": str(data),
                    "PATH": f"{directory}:{os.environ['PATH']}"}
    words = ["bash", "-c", script, str(directory)]
    if os.geteuid() == 0:
        # What is stopped in the middle goes as a whole.
        words = ["unshare", "--net", "--pid", "--fork", "--kill-child",
                 "--mount-proc"] + words
    try:
        run = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired as error:
        return f"not done in {SECONDS_MAX} s:\n{(error.stdout or b'').decode()}"
    for pattern in wanted:
        if not re.search(pattern, run.stdout):
            return f"no '{pattern}' in:\n{run.stdout}"
    for pattern in UNWANTED:
        if re.search(pattern, run.stdout):
            return f"'{pattern}' in:\n{run.stdout}"
    if (data / "cluster" / "postmaster.pid").exists():
        return f"Postgres was left behind:\n{run.stdout}"
    return None
