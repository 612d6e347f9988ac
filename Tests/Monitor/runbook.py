"""The commands of a runbook, run as an operator would."""

import re
import subprocess

COMMAND_SECONDS_MAX = 90


class Runbook:
    def __init__(self, path, stage):
        self.stage = stage
        self.blocks = {
            heading: re.findall(r"```sh\n(.*?)```", text, re.S)
            for heading, text in re.findall(
                r"\n## (\w+)\n(.*?)(?=\n## |\Z)", path.read_text(encoding="utf-8"), re.S)}

    def look(self, shows):
        """- Parameter shows: what the commands have to print for the fault to be found."""
        failed, printed = self._run("Look")
        if shows not in printed:
            failed.append(f"what it says to look at does not show '{shows}': {printed[-2000:]}")
        return failed

    def act(self):
        return self._run("Act")[0]

    def _run(self, heading):
        failed, printed = [], ""
        for block in self.blocks.get(heading, []):
            try:
                done = subprocess.run(
                    ["bash", "-c", block], env=self.stage.environment, text=True,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    timeout=COMMAND_SECONDS_MAX, cwd=self.stage.directory)
            except subprocess.TimeoutExpired:
                failed.append(f"a command under {heading} takes over {COMMAND_SECONDS_MAX} s")
                continue
            printed += done.stdout
            if heading == "Act" and done.returncode != 0:
                failed.append(f"{heading} ends with {done.returncode}: {done.stdout[-2000:]}")
            if re.search(r"command not found|syntax error|unknown (command|option)", done.stdout):
                failed.append(f"{heading} has a command that does not exist: {done.stdout[-500:]}")
        return failed, printed
