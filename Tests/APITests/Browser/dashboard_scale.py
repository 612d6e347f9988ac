"""Watches a dashboard of 5,000 activities while 50 of them change each second.

usage: dashboard_scale.py BASE_URL        (the API key comes in ISLET_KEY)
"""

import json
import os
import sys
import threading
import time
import urllib.request

from browser import open_browser
from looking import check, choose

BASE = sys.argv[1]
KEY = os.environ["ISLET_KEY"]
BYTES_MAX = 300_000
NODES_MAX = 20_000
TASK_MILLIS_MAX = 100
FIRST_PAINT_MILLIS_MAX = 400
# Other programs share the cores, so the soonest of several counts.
VISITS = 3
SECONDS = 6
ROWS = "document.querySelectorAll('#rows tr[data-id]').length"


def change(stop, told):
    """Ten drivers are assigned every fifth of a second, to the orders that are seen and others."""
    number = 0
    while not stop.is_set():
        start = time.monotonic()
        events = []
        for _ in range(10):
            number += 1
            events.append({
                "specversion": "1.0", "id": f"change-{number}", "source": "/test",
                "type": "PizzaDelivery.DriverAssigned", "subject": f"order-{5000 - number % 200:05}",
                "time": "2027-01-15T08:00:00Z", "data": {"driverName": f"Driver {number}"}})
        request = urllib.request.Request(
            f"{BASE}/v1/events", data=json.dumps(events).encode(), method="POST",
            headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20):
            told.append(len(events))
        stop.wait(max(0, 0.2 - (time.monotonic() - start)))


def choose_while_it_is_read_again(browser):
    """Another order, while two pages of this one are read again one after the other."""
    browser.open(f"{BASE}/dashboard?order=id")
    browser.wait(f"{ROWS} > 10")
    seen = "[...document.querySelectorAll('#rows tr')].map(e => e.dataset.id)"
    browser.evaluate("window.scrollTo(0, 97 * 46)")
    browser.wait(f"{seen}.includes('order-00105')")
    browser.evaluate(
        "{ const real = window.fetch; window.restore = () => { window.fetch = real; }; window.asked = 0;"
        "window.fetch = async (path, options) => { if (String(path).startsWith('/v1/board')) {"
        "window.asked += 1; await new Promise(done => setTimeout(done, 500)); } return real(path, options); }; }")
    browser.wait("window.asked > 0")
    choose(browser, "order", "-id")
    time.sleep(6)
    browser.evaluate("restore()")
    browser.evaluate("window.scrollTo(0, 0)")
    browser.wait(f"{seen}.includes('order-05000')")
    check(True, "a list that is chosen while another one is read again begins at its beginning")


def come_back_by_escape(browser):
    """From the page of a row far down, and from one that was opened by itself."""
    browser.open(f"{BASE}/dashboard?order=id")
    browser.wait(f"{ROWS} > 10")
    wanted = "[...document.querySelectorAll('#rows tr')].find(e => e.dataset.id === 'order-00090')"
    browser.evaluate("window.scrollTo(0, 88 * 46)")
    browser.wait(f"Boolean({wanted})")
    browser.evaluate(f"{wanted}.querySelector('a').focus()")
    browser.press_enter()
    browser.wait("document.querySelector('#activity .title-bar')?.checkVisibility()")
    # Where an activity's page ends, the list may not have come as far.
    browser.evaluate("window.scrollTo(0, 0)")
    browser.press("Escape")
    browser.wait("document.activeElement.closest('tr')?.dataset.id === 'order-00090'")
    time.sleep(0.5)
    top = browser.evaluate("document.activeElement.getBoundingClientRect().top / innerHeight")
    check(0 < top < 1, "who comes back by a key is on the row that they came from, and sees it")
    browser.open(f"{BASE}/dashboard?activity=order-00090")
    browser.wait("document.querySelector('#activity .title-bar')?.checkVisibility()")
    browser.press("Escape")
    browser.wait(f"location.pathname + location.search === '/dashboard' && {ROWS} > 10")
    check(True, "and who opened an activity by itself is on the list")


def first_paint(browser):
    browser.open(f"{BASE}/dashboard")
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
    browser.wait(f"({paint}) > 0")
    return browser.evaluate(paint)


def main():
    browser = open_browser()
    stop, told = threading.Event(), []
    try:
        browser.look(1280)
        paint = min(first_paint(browser) for _ in range(VISITS))
        check(0 < paint < FIRST_PAINT_MILLIS_MAX, f"something is painted after {paint:.0f} ms")
        # Not before its script has asked who is there.
        browser.wait("document.getElementById('sign-in').checkVisibility()")
        browser.evaluate("document.getElementById('key').focus()")
        browser.type(KEY)
        browser.press_enter()
        browser.wait(f"{ROWS} > 10")
        sent = browser.evaluate(
            "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]"
            ".reduce((sum, entry) => sum + entry.transferSize, 0)")
        check(0 < sent < BYTES_MAX, f"{sent} bytes came before anybody scrolled")
        check(browser.node_count() < NODES_MAX, f"{browser.node_count()} nodes stand for it")
        threading.Thread(target=change, args=(stop, told), daemon=True).start()
        browser.wait("document.querySelector('#rows').innerText.includes('Driver assigned')")
        longest = browser.longest_task(SECONDS)
        stop.set()
        check(longest is not None and longest < TASK_MILLIS_MAX,
              f"with {sum(told)} changes told, no task took the processor for longer than {longest:.0f} ms")
        check(browser.node_count() < NODES_MAX, f"{browser.node_count()} nodes stand for it then")
        for words in ["order-00201", "N201"]:
            browser.evaluate("document.getElementById('words').value = ''")
            browser.evaluate("document.getElementById('words').focus()")
            browser.type(words)
            browser.wait("document.querySelector('#rows tr[data-id]')?.dataset.id === 'order-00201'")
            check(True, f"{words} finds the 201st")
        browser.open(f"{BASE}/dashboard?order=-id")
        browser.wait("document.querySelector('#rows tr[data-id]')?.dataset.id === 'order-05000'")
        check(True, "the last one is reached at once, from the other end")
        browser.open(f"{BASE}/dashboard?order=id")
        browser.wait(f"{ROWS} > 10")
        wanted = "[...document.querySelectorAll('#rows tr')].some(e => e.dataset.id === 'order-00650')"
        for _ in range(200):
            browser.evaluate("window.scrollTo(0, Math.min(document.body.scrollHeight, 650 * 46))")
            time.sleep(0.05)
            if browser.evaluate(wanted):
                break
        check(browser.evaluate(wanted), "scrolling goes on from page to page")
        check(browser.node_count() < NODES_MAX, f"{browser.node_count()} nodes stand for it then")
        choose_while_it_is_read_again(browser)
        come_back_by_escape(browser)
        check(browser.complaints == [], f"the console is silent: {browser.complaints}")
    finally:
        stop.set()
        browser.close()


main()
