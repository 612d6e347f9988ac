"""What a person does on the dashboard's pages for operators."""

import json
import sys

from looking import text

BASE = sys.argv[1]


def sign_in(browser, key):
    browser.open(f"{BASE}/dashboard")
    give_key(browser, key)


def give_key(browser, key):
    """On the page that is open."""
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type(key)
    browser.press_enter()
    browser.wait("document.getElementById('status-text').innerText === 'Live'")


def sign_out(browser):
    """Until the server knows: what it answers takes the cookie away, a newer one as well."""
    browser.evaluate("document.getElementById('sign-out').click()")
    browser.wait("fetch('/v1/me').then(answer => answer.status === 401)")


def go(browser, view, query=""):
    browser.open(f"{BASE}/dashboard?view={view}{query}")
    browser.wait("document.querySelector('#other h2')?.checkVisibility()")


def rows():
    return "document.querySelectorAll('#other .plain-table tbody tr:not(.below)').length"


def press(browser, name, place="#other"):
    """The first such button, by its text."""
    find = (f"[...document.querySelectorAll('{place} button')]"
            f".find(e => e.textContent === '{name}' && e.checkVisibility())")
    browser.wait(f"Boolean({find})")
    browser.evaluate(f"{find}.click()")


def follow(browser, name):
    """The first such link of the page, by its text."""
    find = f"[...document.querySelectorAll('#other a')].find(e => e.textContent === '{name}')"
    browser.wait(f"Boolean({find})")
    browser.evaluate(f"{find}.click()")


def answer(browser, name):
    """What a question says, after it was answered by that button."""
    browser.wait("document.querySelector('dialog.ask')?.open")
    question = text(browser, "dialog.ask h2")
    press(browser, name, "dialog.ask")
    browser.wait("!document.querySelector('dialog.ask')")
    return question


def fill(browser, label, value):
    browser.evaluate(
        "((label, value) => { const l = [...document.querySelectorAll('#other label')]"
        ".find(e => e.textContent.trim() === label && e.checkVisibility());"
        "const i = l.htmlFor ? document.getElementById(l.htmlFor) : l.querySelector('input');"
        "if (i.type === 'checkbox') i.checked = true; else i.value = value;"
        "for (const type of ['input', 'change']) i.dispatchEvent(new Event(type, {bubbles: true})); })"
        f"({label!r}, {value!r})")


def write(browser, document):
    """As typing does: the page gets the event."""
    browser.evaluate(
        "(text => { const area = document.getElementById('policy-document'); area.value = text;"
        f"area.dispatchEvent(new Event('input', {{bubbles: true}})); }})({json.dumps(document)})")


BUSY = "Promise.resolve(new Response(JSON.stringify({detail: 'The node is busy.'}), {status: 503}))"


def answer_instead(browser, path, response, method=None):
    """Until the page's `restore()` is called, requests for that path get that answer."""
    is_meant = "true" if method is None else f"(options?.method ?? 'GET') === {method!r}"
    browser.evaluate(
        "{ const real = window.fetch; window.restore = () => { window.fetch = real; };"
        f"window.fetch = (path, options) => String(path).startsWith({path!r}) && {is_meant}"
        f" ? {response} : real(path, options); }}")
