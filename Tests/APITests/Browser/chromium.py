"""Drives a headless Chromium over its DevTools pipe, with the standard library alone."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from page import DEADLINE_SECONDS, Page


class Chromium(Page):
    """One page."""

    # Widths, themes and forced colours of every page are looked at here alone.
    looks_around = True

    def __init__(self):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            raise SystemExit("chromium is missing: apt-get install chromium")
        self._profile = tempfile.mkdtemp(prefix="islet-chromium-")
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        high = [os.dup(commands), os.dup(answers)]

        def place():
            # DevTools reads from descriptor 3 and writes to 4.
            os.dup2(high[0], 103)
            os.dup2(high[1], 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars",
             f"--user-data-dir={self._profile}", "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for descriptor in [commands, answers, *high]:
            os.close(descriptor)
        self._buffer = b""
        self._last_id = 0
        self._session = None
        self.complaints = []
        self.is_asked_to_stay = False
        self._trace = None
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self._send(f"{domain}.enable")

    def close(self):
        # Asked to close, Chromium ends its helpers too, which would still write to the profile.
        message = {"id": 0, "method": "Browser.close"}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _send(self, method, **params):
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + DEADLINE_SECONDS
        while True:
            answer = self._receive(deadline, method)
            if answer.get("id") == self._last_id:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _receive(self, deadline, waiting_for):
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise SystemExit(f"Chromium did not answer {waiting_for}")
            chunk = os.read(self._from, 1 << 16)
            if not chunk:
                raise SystemExit("Chromium ended")
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        """Keeps what a developer would see in red, but for answers that the page handles."""
        params = event.get("params", {})
        if event.get("method") == "Page.javascriptDialogOpening":
            self.is_asked_to_stay = params["type"] == "beforeunload"
            # Nothing else is answered before; what comes of it is of no use.
            message = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True},
                       "sessionId": self._session}
            os.write(self._to, json.dumps(message).encode() + b"\0")
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"].get("text", "exception"))
        elif event.get("method") == "Log.entryAdded":
            entry = params["entry"]
            if entry["level"] == "error" and entry["source"] != "network":
                self.complaints.append(entry["text"])
        elif event.get("method") == "Tracing.dataCollected":
            self._trace += params["value"]
        elif event.get("method") == "Tracing.tracingComplete":
            self._is_traced = True

    def open(self, url):
        self._send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression):
        result = self._send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def longest_task(self, seconds):
        """Milliseconds of processor time that the page's longest task took in a while: what others
        do on the machine meanwhile does not count."""
        self._trace, self._is_traced = [], False
        self._send("Tracing.start", traceConfig={
            "includedCategories": ["toplevel", "disabled-by-default-devtools.timeline"]})
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.evaluate("1")
            time.sleep(0.2)
        self._send("Tracing.end")
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not self._is_traced:
            self._note(self._receive(deadline, "the end of a trace"))
        main = {(event["pid"], event["tid"]) for event in self._trace
                if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"}
        took = [event["tdur"] / 1000 for event in self._trace
                if (event["pid"], event["tid"]) in main and "tdur" in event
                and event["name"].endswith("RunTask")]
        return max(took, default=None)

    def node_count(self):
        """Of the whole page, texts and what was taken off but is still in memory included."""
        return self._send("Memory.getDOMCounters")["nodes"]

    def press(self, key, text=""):
        code = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowRight": 39}.get(key)
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "",
                       **({"windowsVirtualKeyCode": code} if code else {}))

    def type(self, text):
        self._send("Input.insertText", text=text)

    def press_enter(self):
        self.press("Enter", "\r")

    def look(self, width, height=900, dark=False, forced=False):
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=width < 600)
        self._send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "forced-colors", "value": "active" if forced else "none"}])

    def accessible_names(self, roles):
        """(role, name) of every element with one of the roles, as a screen reader has them."""
        nodes = self._send("Accessibility.getFullAXTree")["nodes"]
        found = [(node.get("role", {}).get("value"), node.get("name", {}).get("value", ""))
                 for node in nodes if not node.get("ignored")]
        return [pair for pair in found if pair[0] in roles]

    def screenshot(self, path):
        data = self._send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
