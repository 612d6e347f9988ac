"""What a person sees of a page, and what it is compared with."""

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
    print(f"ok: {what}", flush=True)


def picture(browser, name):
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        browser.screenshot(os.path.join(folder, f"{name}.png"))


def check_with_axe(browser, what):
    # The rules are about the document, which is the same in every browser: one is enough.
    if AXE is None or os.environ.get("BROWSER") == "firefox":
        return
    with open(AXE) as file:
        browser.evaluate(file.read() + ";0")
    found = json.loads(browser.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify("
        "r.violations.map(v => [v.id, v.nodes.map(n => n.target + ' ' + n.failureSummary)])))"))
    check(found == [], f"axe finds nothing on {what} {found if found else ''}".rstrip())


def nothing_sticks_out(browser, width, place):
    """Of a page that is looked at that wide. A phone's window is as wide as what sticks out of it."""
    browser.wait(f"document.documentElement.clientWidth === {width}")
    overflow = browser.evaluate(f"document.scrollingElement.scrollWidth - {width}")
    check(overflow <= 0, f"nothing sticks out of {place} at {width} pixels")


def look_around(browser, name, place, roles):
    """At a page in both themes, wide and on a phone, and in forced colours."""
    for look, width, dark in [("wide-light", 1280, False), ("wide-dark", 1280, True),
                              ("phone-light", 320, False), ("phone-dark", 320, True)]:
        browser.look(width, dark=dark)
        nothing_sticks_out(browser, width, place)
        picture(browser, f"{name}-{look}")
        check_with_axe(browser, f"{place}, {look}")
    browser.look(1280, forced=True)
    picture(browser, f"{name}-forced")
    nameless = [pair for pair in browser.accessible_names(roles) if not pair[1].strip()]
    check(nameless == [], f"every control of {place} has a name for a screen reader: {nameless}")
