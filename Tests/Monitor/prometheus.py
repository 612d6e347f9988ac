"""A Prometheus of its own with the rules of deploy/monitoring, quicker than in production."""

import contextlib
import json
import pathlib
import re
import subprocess
import time
import urllib.parse
import urllib.request

from stage import NotHealthy, free_ports

START_SECONDS_MAX = 60


class Prometheus:
    def __init__(self, children, directory, sources, stage):
        self.children, self.directory, self.sources = children, directory, sources
        self.stage = stage
        dashboard = json.loads((sources / "dashboard.json").read_text(encoding="utf-8"))
        self.empty_panels = {
            panel["title"]: [target["expr"] for target in panel["targets"]]
            for panel in dashboard["panels"] if "targets" in panel}

    def start(self):
        rules = (self.sources / "alerts.yml").read_text(encoding="utf-8")
        self._tool("check", "rules", self.sources / "alerts.yml")
        self._tool("test", "rules", pathlib.Path(__file__).with_name("alerts-test.yml"))
        self._tool("check", "config", self.sources / "prometheus.yml")
        # What may last a minute in production may last two seconds here, and what is seen over
        # minutes is seen over half of one.
        quick = re.sub(r"for: \d+[ms]", "for: 2s", rules)
        quick = re.sub(r"\[\d+m\]", "[30s]", quick)
        (self.directory / "alerts.yml").write_text(quick, encoding="utf-8")
        configuration = (self.sources / "prometheus.yml").read_text(encoding="utf-8")
        targets = ", ".join(f"'127.0.0.1:{node.metrics}'" for node in self.stage.nodes)
        configuration = configuration.replace(": 15s", ": 1s")
        configuration = re.sub(r"targets: \[.*\]", f"targets: [{targets}]", configuration)
        path = self.directory / "prometheus.yml"
        path.write_text(configuration, encoding="utf-8")
        self._tool("check", "config", path)
        self.port = free_ports(1)[0]
        self.children.start("prometheus", [
            "prometheus", f"--config.file={path}",
            f"--storage.tsdb.path={self.directory / 'prometheus'}",
            f"--web.listen-address=127.0.0.1:{self.port}"])
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, KeyError):
                if len(self.query('up{job="islet"} == 1')) == len(self.stage.nodes):
                    return
            time.sleep(0.5)
        raise NotHealthy("Prometheus does not see all nodes")

    def _tool(self, *arguments):
        done = subprocess.run(["promtool", *map(str, arguments)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise NotHealthy(f"promtool {' '.join(map(str, arguments))}: {done.stdout}")

    def query(self, expression):
        return self._ask("query?" + urllib.parse.urlencode({"query": expression}))["result"]

    def _ask(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}",
                                    timeout=10) as answer:
            return json.loads(answer.read())["data"]

    def alerts(self):
        """Names of all that there are."""
        groups = self._ask("rules?type=alert")["groups"]
        return {rule["name"] for group in groups for rule in group["rules"]}

    def firing(self):
        return {alert["labels"]["alertname"] for alert in self._ask("alerts")["alerts"]
                if alert["state"] == "firing"}

    def wait(self, is_true, seconds, stage):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            stage.work()
            if is_true():
                return True
            time.sleep(0.5)
        return False

    def check_metrics(self):
        """promtool reads the text form; Prometheus itself asks for OpenMetrics."""
        failed = []
        address = f"http://127.0.0.1:{self.stage.nodes[0].metrics}/metrics"
        with urllib.request.urlopen(address, timeout=10) as answer:
            text = answer.read()
        done = subprocess.run(["promtool", "check", "metrics"], input=text,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            failed.append(f"promtool check metrics: {done.stdout.decode()}")
        for target in self._ask("targets")["activeTargets"]:
            if target["lastError"]:
                failed.append(f"Prometheus cannot read {target['scrapeUrl']}: {target['lastError']}")
        return failed

    def check_dashboard(self):
        """Asks what the panels ask. Those that had nothing to show are asked again next time."""
        failed = []
        for title, expressions in list(self.empty_panels.items()):
            try:
                found = [self.query(expression) for expression in expressions]
            except OSError as error:
                failed.append(f"panel '{title}': {error}")
                continue
            if all(found):
                del self.empty_panels[title]
        return failed
