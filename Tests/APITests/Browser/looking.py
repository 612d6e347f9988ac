"""What a person sees of a page, and what they hold it against."""

import json
import os

try:
    import axe_core_python
    AXE = os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js")
except ImportError:
    AXE = None


def text(browser, selector):
    """What a person can read of the first such element; nothing while it is hidden."""
    return browser.evaluate(
        f"(e => e?.checkVisibility() ? e.innerText : '')"
        f"(document.querySelector({json.dumps(selector)}))")


def choose(browser, id, value):
    browser.evaluate(f"document.getElementById('{id}').value = {json.dumps(value)}")
    browser.evaluate(f"document.getElementById('{id}').dispatchEvent(new Event('change'))")


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")
    print(f"ok: {what}")


def picture(browser, name):
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        browser.screenshot(os.path.join(folder, f"{name}.png"))


def hold_against_axe(browser, what):
    # The rules are about the document, which is the same in every browser: one is enough.
    if AXE is None or os.environ.get("BROWSER") == "firefox":
        return
    with open(AXE) as file:
        browser.evaluate(file.read() + ";0")
    found = json.loads(browser.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify("
        "r.violations.map(v => [v.id, v.nodes.map(n => n.target + ' ' + n.failureSummary)])))"))
    check(found == [], f"axe finds nothing on {what} {found if found else ''}".rstrip())
