"""A slip of the finger at the command line.

Who: an operator.
What: `--data-dir ../x` from a directory; commands that only read, and one that makes a key, with a
data directory that does not exist; a tenant's name with a letter wrong.
Must be true: `../x` is the neighbour, and none of them makes a cluster or, by reading, a tenant, and
each names what was meant.
Bound: nothing is made.
"""

import asyncio
import os
import pathlib
import shutil
import subprocess
import tempfile

from stage import Finding

IS_SHORT = True
READING = (["tenants", "list"], ["keys", "list"], ["projections", "list"],
           ["dead-letters", "list", "--tenant", "nobody"],
           ["replay", "verify"], ["keys", "create", "--tenant", "pizzeria"])


async def run(stage):
    await asyncio.to_thread(stage.key, "pizzeria")
    return await asyncio.to_thread(_slips, stage)


def _slips(stage):
    directory = pathlib.Path(tempfile.mkdtemp(prefix="islet-attack-"))
    directory.chmod(0o755)
    try:
        return _reading(stage, directory) + _neighbour(stage, directory) + _tenant(stage)
    finally:
        for cluster in directory.rglob("postmaster.pid"):
            _stop(cluster)
        shutil.rmtree(directory, ignore_errors=True)


def _reading(stage, directory):
    made, silent = [], []
    commands = READING[:1] if stage.is_short else READING
    for number, command in enumerate(commands):
        place = directory / f"typo-{number}"
        done = _run(stage, [*command, "--data-dir", str(place)], directory)
        if place.exists():
            made.append(" ".join(command))
        elif done.returncode == 0 or str(place) not in done.stderr:
            silent.append(" ".join(command))
    return [Finding("directories made by what serves nobody",
                    f"{len(made)} of {len(commands)}", "0", not made),
            Finding("without a word about the place", f"{len(silent)} of {len(commands)}", "0",
                    not silent)]


def _neighbour(stage, directory):
    below = directory / "below"
    below.mkdir()
    _run(stage, ["tenants", "create", "x", "--data-dir", "../x"], below)
    right = (directory / "x").exists() and not (below / "x").exists()
    return [Finding("--data-dir ../x", "beside" if right else
                    "below" if (below / "x").exists() else "refused", "beside",
                    right or not (below / "x").exists())]


def _tenant(stage):
    before = stage.run_islet("tenants", "list").stdout
    wrong = [stage.run_islet("projections", "list", "--tenant", "pizeria"),
             stage.run_islet("replay", "verify", "--tenant", "pizeria"),
             stage.run_islet("keys", "list", "--tenant", "pizeria")]
    after = stage.run_islet("tenants", "list").stdout
    known = [run for run in wrong if "unknown option" not in run.stderr]
    named = sum("pizzeria" in run.stderr for run in known)
    return [Finding("tenants made by a typo", "one" if "pizeria" in after else "none", "none",
                    "pizeria" not in after or "pizeria" in before),
            Finding("commands that name the near miss", f"{named} of {len(known)}", "all",
                    named == len(known))]


def _run(stage, command, where):
    # The private Postgres of a directory that was made by mistake outlives the command.
    return subprocess.run([stage.islet, *command], cwd=where, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


def _stop(lock):
    try:
        os.kill(int(lock.read_text().split("\n")[0]), 2)
    except (OSError, ValueError):
        pass
