"""A newcomer pastes the first block of the README.

Who: nobody bad.
What: the block as it stands, whole, into a fresh shell in an empty directory with an empty data
directory, ten times. Only the port differs, so that it does not meet another server.
Must hold: it works.
Bound: every time; the card that it shows is not over before it has begun.
"""

import asyncio
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from measure.server import free_port
from stage import Finding

IS_SHORT = False
TIMES = 10
SECONDS_MAX = 40
BLOCK = re.compile(r"^## Your first event\n.*?^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


async def run(stage):
    block = BLOCK.search((stage.root / "README.md").read_text(encoding="utf-8"))[1]
    times = stage.seconds(TIMES, 1)
    failed, over, complaint = 0, 0, ""
    for _ in range(times):
        text = await asyncio.to_thread(_paste, stage, block)
        good = '"outcome":"recorded"' in text and '"phase"' in text
        failed += not good
        over += good and "Arriving in 0:00" in text
        if not good:
            complaint = next((line for line in text.splitlines() if "rror" in line or ": " in line),
                             "no output")[:60]
    return [Finding("pastes that failed", f"{failed} of {times}" + (f" ({complaint})" if failed
                                                                     else ""), "0", failed == 0),
            Finding("cards that were over", f"{over} of {times - failed}", "0", over == 0)]


def _paste(stage, block):
    directory = pathlib.Path(tempfile.mkdtemp(prefix="islet-paste-"))
    directory.chmod(0o755)
    port = str(free_port())
    program = directory / ".build" / "release"
    program.mkdir(parents=True)
    (program / "islet").symlink_to(stage.islet)
    environment = dict(os.environ, ISLET_DATA_DIR=str(directory / "data"), ISLET_PORT=port,
                       ISLET_URL=f"http://127.0.0.1:{port}")
    # What a reader does at last: the server goes on until then.
    script = block.replace("8080", port) + "\nkill $!\nwait\n"
    shell = subprocess.Popen(
        ["bash", "-c", script], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        text, _ = shell.communicate(timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        text, _ = shell.communicate()
    finally:
        for lock in directory.rglob("postmaster.pid"):
            try:
                os.kill(int(lock.read_text().split("\n")[0]), signal.SIGQUIT)
            except (OSError, ValueError):
                pass
        shutil.rmtree(directory, ignore_errors=True)
    return text
