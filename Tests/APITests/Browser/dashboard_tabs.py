"""Looks at a dashboard whose connection ends while other tabs go on, as a person with many would.

usage: dashboard_tabs.py BASE_URL        (the API key comes in ISLET_KEY, of the tenant t1)

The server under test takes the key `theirs` of the tenant t2 as well, ends all streams at
`/test/cut`, and says at `/test/streams` how many are open. From `/test/hide` to `/test/show` it has
no page for operators.
"""

import json
import os
import sys
import time
import urllib.request
from datetime import datetime, timezone

from browser import open_browser
from looking import check, choose, text
from operating import BUSY, answer_instead

BASE = sys.argv[1]
KEY = os.environ["ISLET_KEY"]
OTHER_KEY = os.environ.get("ISLET_OTHER_KEY", "theirs")
ROWS = "document.querySelectorAll('#rows tr[data-id]').length"
IS_LIVE = "document.body.dataset.state === 'live'"


def ask(path):
    with urllib.request.urlopen(f"{BASE}{path}", timeout=10) as answer:
        return answer.read().decode()


def place_order(subject):
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    event = {"specversion": "1.0", "id": f"{subject}-{time.time()}", "source": "/test",
             "type": "PizzaDelivery.OrderPlaced", "subject": subject, "time": now,
             "data": {"orderNumber": "1", "numberOfPizzas": 2, "totalAmount": "$31.50",
                      "promisedAt": now}}
    request = urllib.request.Request(
        f"{BASE}/v1/events", data=json.dumps(event).encode(), method="POST",
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 201, answer.status


def sign_in(browser):
    browser.look(1280)
    browser.open(f"{BASE}/dashboard")
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type(KEY)
    browser.press_enter()
    browser.wait(IS_LIVE)
    place_order("order-1")
    browser.wait(f"{ROWS} === 1")


def open_in_vain(browser):
    ask("/test/hide")
    browser.evaluate("document.querySelector('#nav [data-view=office]').click()")
    browser.wait("document.getElementById('problem').innerText.includes('cannot be loaded')")
    ask("/test/show")
    browser.open(f"{BASE}/dashboard")
    browser.wait(f"{IS_LIVE} && {ROWS} === 1")
    check(browser.complaints == [], f"a page that cannot be loaded is said, and not thrown: {browser.complaints}")


def sign_in_elsewhere(browser, key):
    """As another tab does, which has the same cookie."""
    status = browser.evaluate(
        "fetch('/v1/session', {method: 'POST', headers: "
        f"{{Authorization: {json.dumps('Bearer ' + key)}}}}}).then(answer => answer.status)")
    assert status == 201, status


def meet_another_tenant(browser):
    sign_in_elsewhere(browser, OTHER_KEY)
    ask("/test/cut")
    browser.wait("document.getElementById('tenant').innerText === 't2'")
    browser.wait(f"{IS_LIVE} && {ROWS} === 0")
    check(True, "after a break the page is that of who is signed in then")
    sign_in_elsewhere(browser, KEY)
    browser.evaluate("new BroadcastChannel('islet-sign-in').postMessage(null)")
    browser.wait("document.getElementById('tenant').innerText === 't1'")
    browser.wait(f"{IS_LIVE} && {ROWS} === 1")
    check(True, "and without a break when another tab says so")


def look_away(browser, seconds=0):
    """As a person does who goes to another tab."""
    browser.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    browser.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    time.sleep(seconds)


def look_again(browser):
    browser.evaluate("delete document.hidden")
    browser.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def rest_unseen(browser):
    look_away(browser, seconds=1)
    look_again(browser)
    time.sleep(6)
    check(browser.evaluate(IS_LIVE) and ask("/test/streams") == "1",
          "a look at another tab breaks nothing")
    look_away(browser)
    browser.wait(f"!({IS_LIVE})")
    time.sleep(2)
    check(ask("/test/streams") == "0", "a page that nobody looks at has no connection")
    check(not text(browser, "#problem"), "which is no problem")
    place_order("order-2")
    look_again(browser)
    browser.wait(f"{IS_LIVE} && {ROWS} === 2")
    check(ask("/test/streams") == "1", "and is up to date when somebody looks again")


def read_in_vain(browser):
    browser.evaluate("window.asks = window.fetch; 0")
    answer = "new Response(JSON.stringify({detail: 'The node is busy.'}), {status: 503})"
    browser.evaluate("window.fetch = (path, options) => String(path).startsWith('/v1/board') "
                     f"? Promise.resolve({answer}) : window.asks(path, options); 0")
    browser.wait("document.getElementById('stale').checkVisibility()")
    check("The node is busy" in text(browser, "#stale"), "rows that cannot be read again are said to be old")
    check(browser.evaluate(ROWS) == 2, "and stay")
    choose(browser, "phase", "ended")
    browser.wait("document.getElementById('empty').innerText.includes('The node is busy.')")
    check(browser.evaluate(ROWS) == 0, "but not under another filter, whose rows they are not")
    choose(browser, "phase", "live")
    browser.evaluate("window.fetch = window.asks; 0")
    browser.wait(f"!document.getElementById('empty').checkVisibility() && {ROWS} === 2")
    check(True, "which is asked for until it is read")
    choose(browser, "phase", "")
    browser.wait(f"location.search === '' && {ROWS} === 2")
    answer = "new Response(JSON.stringify({detail: 'The key has ended.'}), {status: 401})"
    browser.evaluate("window.fetch = (path, options) => String(path).startsWith('/v1/board') "
                     f"? Promise.resolve({answer}) : window.asks(path, options); 0")
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    check("The key has ended" in text(browser, "#sign-in-error") and not text(browser, "#board"),
          "a sign-in that has ended ends what is shown")
    browser.open(f"{BASE}/dashboard")
    browser.wait(f"{IS_LIVE} && {ROWS} === 2")


def meet_a_busy_server(browser):
    answer_instead(browser, "/v1/attention", BUSY)
    browser.wait("document.getElementById('attention').innerText.includes('cannot be read: The node is busy.')")
    check(not text(browser, "#calm"), "what cannot be read is not said to be calm")
    check("cannot be read" in browser.evaluate("document.getElementById('announced').textContent"),
          "which a screen reader says as well")
    browser.evaluate("restore()")
    browser.wait("!document.getElementById('announced').textContent.includes('cannot be read')")
    ask("/test/cut")
    answer_instead(browser, "/v1/me", BUSY)
    browser.wait("document.getElementById('problem').innerText.includes('The node is busy.')")
    check(browser.evaluate(ROWS) == 2, "who was signed in stays, and hears why it takes long")
    browser.evaluate("restore()")
    browser.wait(f"{IS_LIVE} && !document.getElementById('problem').checkVisibility()")
    browser.evaluate("document.querySelector('#rows a').focus()")
    browser.wait("document.querySelector('#preview .lock')?.innerText.includes('Order 1')")
    browser.evaluate("document.getElementById('preview-open').focus()")
    time.sleep(5)
    check(browser.evaluate("document.activeElement.id") == "preview-open", "a preview that is unchanged is left alone")
    browser.evaluate("document.activeElement.blur()")
    answer_instead(browser, "/v1/parked-events", BUSY)
    browser.evaluate("document.querySelector('#nav [data-view=office]').click()")
    browser.wait("document.getElementById('other').innerText.includes('The node is busy.')")
    browser.evaluate("restore()")
    ask("/test/cut")
    browser.wait("document.getElementById('other').innerText.includes('No event is blocked')")
    check(True, "a list that could not be read is read when the connection is there again")
    browser.evaluate("document.getElementById('home').click()")
    browser.wait(f"{IS_LIVE} && {ROWS} === 2")
    answer_instead(browser, "/v1/session", BUSY)
    browser.evaluate("document.getElementById('sign-out').click()")
    browser.wait("document.getElementById('sign-in-error').innerText.includes('may still be signed in')")
    check(True, "a sign-out that the server does not confirm is said")
    check(browser.evaluate("document.getElementById('figures').children.length") == 0, "and leaves no figure behind")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type(KEY)
    browser.press_enter()
    browser.wait("document.getElementById('sign-in-error').innerText.includes('The node is busy.')")
    check(browser.evaluate("document.getElementById('key').value") == KEY, "a busy server takes no key away")
    browser.evaluate("restore()")
    answer_instead(browser, "/v1/board", BUSY)
    browser.press_enter()
    browser.wait(f"{IS_LIVE} && document.getElementById('empty').innerText.includes('The node is busy.')")
    browser.evaluate("restore()")
    browser.wait(f"{ROWS} === 2")
    check(True, "a list whose first read fails comes by itself")
    check(browser.evaluate("document.getElementById('key').value") == "", "and one that works is nowhere any more")


def follow_odd_links(browser):
    for version in ("-1", "0", "1.5", "x", "1e3", "99"):
        browser.open(f"{BASE}/dashboard?activity=order-1&version={version}")
        browser.wait("document.title.includes('Order 1')")
        browser.wait("document.querySelectorAll('.sentences li').length > 0")
        check(not text(browser, "#activity .past"), f"version {version} is no past")
    check(True, "an activity opens at its newest version where there is none of that number")
    for name in ("nothing", "%ff"):
        browser.open(f"{BASE}/dashboard?activity={name}")
        browser.wait("document.querySelector('#activity .banner')?.checkVisibility()")
    check(not browser.evaluate("document.getElementById('version').checkVisibility()"),
          "and one that cannot be read has nothing to press")
    browser.open(f"{BASE}/dashboard?activity=order-1")
    browser.wait("document.querySelectorAll('.sentences li').length > 0")
    browser.evaluate("document.querySelector('#activity .states a').focus()")
    time.sleep(5)
    check(browser.evaluate("document.activeElement.textContent") == "What if", "what is read again keeps the focus")


def leave_elsewhere(browser):
    browser.evaluate(
        "fetch('/v1/me').then(answer => answer.json()).then(me => fetch('/v1/session', "
        "{method: 'DELETE', headers: {'X-CSRF-Token': me.csrfToken}})).then(() => 0)")
    ask("/test/cut")
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    check(not text(browser, "#board"), "who signs out in another tab has left this one")
    # As after its twelve hours, the browser has no cookie any more.
    check("Your sign-in has ended" in text(browser, "#sign-in-error"), "and reads that the sign-in has ended")


def main():
    browser = open_browser()
    try:
        for step in (sign_in, open_in_vain, meet_another_tenant, rest_unseen, read_in_vain,
                     meet_a_busy_server, follow_odd_links, leave_elsewhere):
            step(browser)
        check(browser.complaints == [], f"the console is silent: {browser.complaints}")
    finally:
        browser.close()


main()
