"""Signs in to a running dashboard and watches orders arrive, as a person would.

usage: dashboard_check.py BASE_URL        (the API key comes in ISLET_KEY)

The server under test folds every event as it is posted and cuts the first stream it opens, so
that the page has to reconnect. With SCREENSHOTS set to a folder, pictures are left there.
"""

import json
import os
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

from browser import Browser

BASE = sys.argv[1]
KEY = os.environ["ISLET_KEY"]
MARKUP = "<img src=x onerror=window.stolen=1>"


def post(id, type, subject, data):
    event = {"specversion": "1.0", "id": id, "source": "/test", "type": type,
             "subject": subject, "time": later(minutes=0), "data": data}
    request = urllib.request.Request(
        f"{BASE}/v1/events", data=json.dumps(event).encode(), method="POST",
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 201, answer.status


def later(minutes):
    moment = datetime.now(timezone.utc) + timedelta(minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def place_order(subject, number):
    post(f"placed-{subject}", "PizzaDelivery.OrderPlaced", subject,
         {"orderNumber": number, "numberOfPizzas": 2, "totalAmount": "$31.50",
          "promisedAt": later(minutes=100)})


def text(browser, selector):
    """What a person can read of the first such element; nothing while it is hidden."""
    return browser.evaluate(
        f"(e => e?.checkVisibility() ? e.innerText : '')"
        f"(document.querySelector({json.dumps(selector)}))")


def check(condition, what):
    if not condition:
        raise SystemExit(f"failed: {what}")
    print(f"ok: {what}")


def picture(browser, name):
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        browser.screenshot(os.path.join(folder, f"{name}.png"))


def sign_in(browser):
    browser.look(1280)
    browser.open(f"{BASE}/dashboard")
    browser.evaluate("window.marker = 'not reloaded'")
    check("Enter an API key" in text(browser, "#sign-in"), "a stranger is asked for a key")
    check(not text(browser, "#board"), "a stranger sees no board")
    picture(browser, "signed-out")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type("wrong-key")
    browser.press_enter()
    browser.wait("!document.getElementById('sign-in-error').hidden")
    check("No tenant has this API key" in text(browser, "#sign-in-error"), "a wrong key is refused")
    check(browser.evaluate("sessionStorage.length") == 0, "a wrong key is not kept")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type(KEY)
    browser.press_enter()
    browser.wait("document.getElementById('status-text').innerText === 'Live'")
    browser.wait("!document.getElementById('empty').hidden")
    check("No activities yet" in text(browser, "#empty"), "an empty tenant is told so")
    picture(browser, "empty")


def watch_orders(browser):
    place_order("order-1", "101")
    browser.wait("document.querySelectorAll('.card h3').length === 1")
    browser.wait("document.querySelector('.lock')?.innerText.includes('Order 101')")
    check("order-1" in text(browser, ".card h3"), "a new order appears by itself")
    before = text(browser, ".lock .clock")
    check(before.count(":") == 2, "a countdown of hours is shown")
    browser.wait(f"document.querySelector('.lock .clock').innerText !== {json.dumps(before)}")
    check(True, "clocks run by themselves")
    post("assigned-1", "PizzaDelivery.DriverAssigned", "order-1", {"driverName": "Ada"})
    browser.wait("document.querySelector('.badge')?.dataset.verdict === 'alert'")
    check("Ada" in text(browser, ".said"), "an alert shows its words")
    check(text(browser, ".island [data-slot=leading]") != "", "the island is drawn")
    check(browser.evaluate("window.marker") == "not reloaded", "nothing was reloaded")
    browser.evaluate("document.querySelector('.card summary').click()")
    browser.wait("document.querySelectorAll('.history li').length === 2")
    check("accepted" in text(browser, ".history li"), "recent decisions tell what was sent")


def try_markup(browser):
    place_order(MARKUP, "102")
    post("assigned-2", "PizzaDelivery.DriverAssigned", MARKUP, {"driverName": MARKUP})
    browser.wait("document.querySelectorAll('.card .said').length === 2")
    check(MARKUP in text(browser, "#cards"), "markup is shown as text")
    check(browser.evaluate("document.querySelectorAll('#cards img').length") == 0, "and is no element")
    check(browser.evaluate("window.stolen") is None, "and does not run")


def end_an_order(browser):
    place_order("order-3", "103")
    post("done-3", "PizzaDelivery.OrderDelivered", "order-3", {})
    browser.wait("document.querySelector('.phase[data-phase=ended]') !== null")
    last = "[...document.querySelectorAll('.phase')].at(-1).dataset.phase"
    check(browser.evaluate(last) == "ended", "ended activities come last")
    browser.evaluate("document.querySelector('input[value=ended]').click()")
    browser.wait("document.querySelectorAll('.card h3').length === 1")
    check("order-3" in text(browser, ".card h3"), "the filter shows what ended")
    check(text(browser, ".badge") == "end", "the last decision is an end")
    browser.evaluate("document.querySelector('input[value=scheduled]').click()")
    browser.wait("!document.getElementById('empty').hidden")
    check("Nothing scheduled" in text(browser, "#empty"), "a filter that fits nothing says so")
    browser.evaluate("document.querySelector('input[value=all]').click()")
    browser.wait("document.querySelectorAll('.card h3').length === 3")


def figure(browser, name):
    return browser.evaluate(
        "[...document.querySelectorAll('#figures div')].find("
        f"e => e.firstChild.innerText === {json.dumps(name)})?.lastChild.innerText ?? ''")


def watch_figures(browser):
    place_order("order-4", "104")
    post("scheduled-1", "Match.MatchScheduled", "match-1",
         {"competition": "Cup", "homeTeam": "Kestrels", "awayTeam": "Wolves",
          "kickoff": later(minutes=0)})
    post("kickoff-1", "Match.PeriodStarted", "match-1", {"period": "firstHalf"})
    browser.wait("document.querySelector('#matches')?.innerText.includes('Kestrels')")
    check("Cup" in text(browser, "#scoreboard"), "the scoreboard has a live match")
    check(figure(browser, "Live") == "4", "the figures count what is live")
    check(figure(browser, "Late now") == "0", "and what is late")


def search(browser):
    browser.evaluate("document.getElementById('words').focus()")
    browser.type("kestrels")
    browser.wait("document.querySelectorAll('.card h3').length === 1")
    check("match-1" in text(browser, ".card h3"), "a word finds its activity")
    post("kickoff-2", "Match.GoalScored", "match-1",
         {"goalID": "g1", "team": "home"})
    browser.wait("document.querySelector('#matches').innerText.includes('1–0')")
    check(True, "the scoreboard follows the match")
    place_order("order-5", "105")
    browser.evaluate("document.getElementById('words').value = ''")
    browser.evaluate("document.getElementById('late').click()")
    browser.wait("document.getElementById('empty-title').checkVisibility()")
    check("Nothing found" in text(browser, "#empty"), "nothing is late, and the page says so")
    # An estimate beyond the promise makes it late, its delivery in time takes it away again.
    post("revised-5", "PizzaDelivery.EstimateRevised", "order-5", {"estimatedAt": later(minutes=200)})
    browser.wait("document.querySelectorAll('.card h3').length === 1")
    check("order-5" in text(browser, ".card h3"), "what becomes late appears")
    post("done-5", "PizzaDelivery.OrderDelivered", "order-5", {})
    browser.wait("document.querySelectorAll('.card h3').length === 0")
    check(True, "and leaves when it is late no more")
    browser.evaluate("document.getElementById('late').click()")
    browser.evaluate("document.getElementById('kind').value = 'Match'")
    browser.evaluate("document.getElementById('kind').dispatchEvent(new Event('change'))")
    browser.wait("document.querySelectorAll('.card h3').length === 1")
    browser.evaluate("document.getElementById('kind').value = ''")
    browser.evaluate("document.getElementById('kind').dispatchEvent(new Event('change'))")
    browser.wait("document.querySelectorAll('.card h3').length === 6")
    check(True, "without a filter everything is back")


def look_around(browser):
    for name, width, dark in [("wide-light", 1280, False), ("wide-dark", 1280, True),
                              ("phone-light", 360, False), ("phone-dark", 360, True)]:
        browser.look(width, dark=dark)
        browser.wait(f"innerWidth === {width}")
        overflow = browser.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        check(overflow <= 0, f"nothing sticks out at {width} pixels")
        picture(browser, name)
    nameless = [pair for pair in browser.accessible_names({"button", "radio", "textbox", "searchbox", "combobox", "checkbox", "link"})
                if not pair[1].strip()]
    check(nameless == [], "every control has a name for a screen reader")


def leave(browser):
    check(KEY not in browser.evaluate("location.href"), "the key is not in the address")
    browser.open(f"{BASE}/dashboard")
    browser.wait("document.querySelectorAll('.card h3').length === 6")
    check(True, "a reload in the same tab stays signed in")
    browser.evaluate("document.getElementById('sign-out').click()")
    browser.wait("!document.getElementById('sign-in').hidden")
    check(browser.evaluate("sessionStorage.length") == 0, "signing out forgets the key")
    check(browser.evaluate("document.querySelectorAll('.card h3').length") == 0, "and the cards")
    check(browser.complaints == [], f"the console is silent: {browser.complaints}")


def main():
    browser = Browser()
    try:
        for step in (sign_in, watch_orders, try_markup, end_an_order, watch_figures, search, look_around,
                     leave):
            step(browser)
    finally:
        browser.close()


main()
