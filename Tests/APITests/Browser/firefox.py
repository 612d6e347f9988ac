"""Drives a headless Firefox by WebDriver BiDi, with the words of browser.py.

What this protocol lacks is said where it is asked for: Firefox is asked for an accessible name by
what the page's elements say, and forced colours are Chromium's part.
"""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time

from websockets.sync.client import connect

from page import DEADLINE_SECONDS, Page

# An answer takes seconds where much else goes on.
ANSWER_SECONDS = 60
# https://www.w3.org/TR/webdriver2/#keyboard-actions
KEYS = {"Enter": "\ue006", "Escape": "\ue00c", "Tab": "\ue004", "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}
NAMES = """
(() => {
    const roles = {BUTTON: "button", A: "link", SELECT: "combobox", TEXTAREA: "textbox", svg: "img"};
    const inputs = {range: "slider", checkbox: "checkbox", radio: "radio", search: "searchbox",
        number: "spinbutton"};
    const seen = [...document.querySelectorAll("button, a[href], select, textarea, input, svg[role], [role]")]
        .filter(e => e.checkVisibility() && !e.closest("[aria-hidden=true]"));
    return JSON.stringify(seen.map(e => {
        const role = e.getAttribute("role")
            ?? (e.tagName === "INPUT" ? inputs[e.type] ?? "textbox" : roles[e.tagName]);
        const by = e.getAttribute("aria-labelledby")?.split(" ").map(id => document.getElementById(id)?.textContent);
        return [role, e.getAttribute("aria-label") ?? by?.join(" ") ?? ([...e.labels ?? []]
            .map(l => l.textContent).join(" ") || e.textContent || e.title)];
    }));
})()
"""


class Firefox(Page):
    """One page."""

    # It stops answering after some dozens of changes of width, and forces no colours.
    looks_around = False

    def __init__(self):
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if program is None:
            raise SystemExit("Firefox is missing: apt-get install firefox-esr")
        self._profile = tempfile.mkdtemp(prefix="islet-firefox-")
        self._process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", self._profile,
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, "HOME": self._profile})
        self.complaints = []
        self._last_id = 0
        self._socket = None
        try:
            self._socket = connect(f"{self._address()}/session", max_size=None, open_timeout=DEADLINE_SECONDS)
            self._send("session.new", capabilities={"alwaysMatch": {}})
            self._send("session.subscribe", events=["log.entryAdded"])
            # A window that is asked for has the focus, which the first one has not.
            self._context = self._send("browsingContext.create", type="window")["context"]
        except BaseException:
            self.close()
            raise

    def _address(self):
        said = b""
        deadline = time.monotonic() + 3 * DEADLINE_SECONDS
        while not (found := re.search(rb"listening on (ws://\S+)", said)):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stderr], [], [], left)[0]:
                raise SystemExit(f"Firefox did not start: {said.decode(errors='replace')}")
            chunk = os.read(self._process.stderr.fileno(), 4096)
            if not chunk:
                raise SystemExit(f"Firefox ended: {said.decode(errors='replace')}")
            said += chunk
        return found[1].decode()

    def close(self):
        if self._socket is not None:
            self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _send(self, method, **params):
        self._last_id += 1
        self._socket.send(json.dumps({"id": self._last_id, "method": method, "params": params}))
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                message = json.loads(self._socket.recv(timeout=max(0, deadline - time.monotonic())))
            except TimeoutError:
                raise SystemExit(f"Firefox did not answer {method}") from None
            if message.get("id") == self._last_id:
                if message["type"] == "error":
                    raise SystemExit(f"{method}: {message['error']}: {message['message']}")
                return message["result"]
            self._note(message)

    def _note(self, message):
        """Keeps what a developer would see in red."""
        params = message.get("params", {})
        if message.get("method") == "log.entryAdded" and params["level"] == "error":
            self.complaints.append(params["text"])

    def open(self, url):
        self._send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, expression):
        answer = self._send(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True,
            serializationOptions={"maxObjectDepth": 4})
        if answer["type"] == "exception":
            raise SystemExit(f"{expression}: {answer['exceptionDetails']['text']}")
        return self._value(answer["result"])

    def _value(self, remote):
        if remote["type"] == "array":
            return [self._value(each) for each in remote["value"]]
        return remote.get("value") if remote["type"] in {"string", "number", "boolean"} else None

    def press(self, key, text=""):
        self._strike([KEYS.get(key, key)])

    def type(self, text):
        self._strike(list(text))

    def press_enter(self):
        self.press("Enter")

    def _strike(self, keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._send("input.performActions", context=self._context,
                   actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def look(self, width, height=900, dark=False, forced=False):
        self._send("browsingContext.setViewport", context=self._context,
                   viewport={"width": width, "height": height})
        # The page's own switch, for the protocol has none for what the system prefers.
        self.evaluate(
            "((e, theme) => { if (e) { e.value = theme; e.dispatchEvent(new Event('change')); } })"
            f"(document.getElementById('theme'), '{'dark' if dark else 'light'}')")

    def accessible_names(self, roles):
        """(role, name) of every element that is seen and has one of the roles."""
        return [tuple(pair) for pair in json.loads(self.evaluate(NAMES)) if pair[0] in roles]

    def screenshot(self, path):
        data = self._send("browsingContext.captureScreenshot", context=self._context)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
