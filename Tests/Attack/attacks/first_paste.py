"""A newcomer pastes the first blocks of the README.

Who: nobody bad.
What: simulator, server and first push as they stand, into a fresh shell in an empty directory with an
empty data directory, five times. Only the ports differ, so that they do not meet other servers.
Must be true: it works.
Bound: every time; the phone is alerted, and its card is not over before it has begun.
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
TIMES = 5
SECONDS_MAX = 40
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


async def run(stage):
    blocks = BLOCK.findall((stage.root / "README.md").read_text(encoding="utf-8"))
    block = "".join(next(block for block in blocks if word in block)
                    for word in ("islet simulate", "keys create"))
    times = stage.seconds(TIMES, 1)
    failed, over, complaint = 0, 0, ""
    for _ in range(times):
        text = await asyncio.to_thread(_paste, stage, block)
        good = "Ada will bring your 2 pizzas." in text and "Arriving in" in text
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
    ports = {name: str(free_port()) for name in ("8080", "2196", "2197", "2198")}
    program = directory / ".build" / "release"
    program.mkdir(parents=True)
    (program / "islet").symlink_to(stage.islet)
    environment = dict(
        os.environ, ISLET_DATA_DIR=str(directory / "data"), ISLET_PORT=ports["8080"],
        ISLET_URL=f"http://127.0.0.1:{ports['8080']}", ISLET_MANAGEMENT_PORT=ports["2196"],
        ISLET_APNS_PORT=ports["2197"], ISLET_CONTROL_PORT=ports["2198"])
    # What a reader does at last: the servers go on until then.
    script = block + "\nislet replay show \"$ORDER\"\nkill $(jobs -p)\nwait\n"
    for port, free in ports.items():
        script = script.replace(port, free)
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
