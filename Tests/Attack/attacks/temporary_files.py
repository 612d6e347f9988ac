"""Another user of the machine prepares what root is about to write.

Who: a local user (nobody), which takes root to play.
What: `islet replay diff` is run by root; before it begins, the directory that it is expected to use
under the temporary directory is made by the other user, with links in it to a file of root's.
Must be true: no file is written through another user's link.
Bound: root's file keeps its bytes.
"""

import asyncio
import os
import pathlib
import shutil
import subprocess
import tempfile

from client import event, order
from stage import Finding

IS_SHORT = True
WORDS = b"what root wants to keep\n"
NOBODY = 65_534
# `sh` says which number it has, waits for a line, and becomes the program.
WAITING = 'echo $$; read line; exec "$0" "$@"'


async def run(stage):
    if os.geteuid() != 0:
        return [Finding("the attack", "left out: it takes root", "–", True)]
    client = stage.client(stage.key("files"))
    await client.post("/v1/events", order("files-1", "files-order"))
    await client.post("/v1/events", event("files-2", "files-order"))
    await client.close()
    return await asyncio.to_thread(_diff, stage)


def _diff(stage):
    directory = tempfile.mkdtemp(prefix="islet-attack-")
    try:
        return _attack(stage, pathlib.Path(directory))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _attack(stage, directory):
    directory.chmod(0o755)
    temporary = directory / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    kept = directory / "kept"
    kept.write_bytes(WORDS)
    kept.chmod(0o600)
    program = subprocess.Popen(
        ["sh", "-c", WAITING, stage.islet, "replay", "diff", "--fold", "this", "--fold", "this",
         "--tenant", "files", "--data-dir", stage.server.data],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ, TMPDIR=str(temporary)))
    number = int(program.stdout.readline())
    place = temporary / f"islet-folds-{number}"
    links = [place / f"{fold}.ndjson{ending}" for fold in (1, 2) for ending in ("", ".errors")]
    script = (f"import os\nos.umask(0)\nos.makedirs({str(place)!r})\n" + "".join(
        f"os.symlink({str(kept)!r}, {str(link)!r})\n" for link in links))
    planted = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--", "python3",
         "-c", script], stderr=subprocess.PIPE, text=True)
    assert planted.returncode == 0, planted.stderr
    said, _ = program.communicate(b"\n", timeout=60)
    now = kept.read_bytes()
    return [Finding("root's file", "as it was" if now == WORDS else f"{len(now)} other bytes",
                    "as it was", now == WORDS),
            Finding("the comparison", f"ends with {program.returncode}", "0 or a clear refusal",
                    program.returncode in (0, 1) and bool(said))]
