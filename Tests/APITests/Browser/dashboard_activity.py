"""Reads an activity's page while more is reported, as a person does who looks into a complaint.

usage: dashboard_activity.py BASE_URL     (the API key comes in ISLET_KEY)

The server under test folds every event as it is posted, and has the order `order-4` of three events,
of which the last two are parked. APNs does not know the token of the only phone of `order-9`, and on that of `order-10`
the card was swiped away. Of the 70 phones of `order-12` the last one was given up.
"""

import json
import os
import time
import urllib.request
from datetime import datetime, timedelta, timezone

from browser import open_browser
from looking import check, nothing_sticks_out, text
from operating import BASE, answer_instead, sign_in

KEY = os.environ["ISLET_KEY"]
# The page looks again every two seconds.
TWO_LOOKS_SECONDS = 4.5


def moment(minutes=0):
    return (datetime.now(timezone.utc) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def post(type, order, data):
    event = {"specversion": "1.0", "id": f"{order}-{time.time_ns()}", "source": "/test",
             "type": f"PizzaDelivery.{type}", "subject": order, "time": moment(), "data": data}
    request = urllib.request.Request(
        f"{BASE}/v1/events", data=json.dumps(event).encode(), method="POST",
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 201, answer.status


def place(order, pizzas=2):
    post("OrderPlaced", order, {"orderNumber": "7", "numberOfPizzas": pizzas, "totalAmount": "$31.50",
                                "promisedAt": moment(minutes=100)})


def revise(order, minutes):
    post("EstimateRevised", order, {"estimatedAt": moment(minutes), "reason": "traffic"})


def chosen(version):
    return f"document.querySelector('.timeline [aria-current]')?.dataset.version === '{version}'"


def open_at(browser, order, version):
    browser.open(f"{BASE}/dashboard?activity={order}&version={version}")
    browser.wait(f"{chosen(version)} && document.querySelectorAll('.sentences li').length > 0")


def readings(browser, selector, seconds):
    """All that such an element has said meanwhile."""
    return browser.evaluate(
        f"new Promise(done => {{ const found = new Set(); const end = Date.now() + {seconds * 1000};"
        f"const look = () => {{ found.add(document.querySelector({selector!r})?.textContent);"
        "if (Date.now() < end) setTimeout(look, 20); else done([...found]); }; look(); })")


def look_at_the_past(browser):
    place("order-1")
    time.sleep(2)
    revise("order-1", 90)
    open_at(browser, "order-1", 1)
    found = readings(browser, "#activity .lock .clock", TWO_LOOKS_SECONDS)
    check(len(found) == 1, f"clocks of a past moment stand still, also when it is drawn again: {found}")
    browser.evaluate("getSelection().selectAllChildren(document.querySelector('#activity .lock'))")
    marked = browser.evaluate("String(getSelection())")
    time.sleep(TWO_LOOKS_SECONDS)
    check("Order 7" in marked and browser.evaluate("String(getSelection())") == marked,
          "and what somebody has marked on the phone stays marked")


def look_at_what_was_corrected(browser):
    place("order-8")
    # Of two reports of one second it is not the later one that stands.
    time.sleep(1.1)
    place("order-8", pizzas=3)
    open_at(browser, "order-8", 1)
    check("2 pizzas" in text(browser, "#activity .lock") and "2 pizzas" in text(browser, "#activity h2"),
          "a past moment shows what had been ordered by then")
    browser.evaluate("document.querySelector('.timeline [data-version=\"2\"]').click()")
    browser.wait(f"{chosen(2)} && document.querySelector('#activity .lock').innerText.includes('3 pizzas')")
    check("3 pizzas" in text(browser, "#activity h2"), "and the newest what it was corrected to")


def scroll_the_timeline(browser):
    place("order-2")
    for number in range(24):
        revise("order-2", 60 + number)
    open_at(browser, "order-2", 3)
    browser.evaluate("document.querySelector('.timeline').scrollTop = 0")
    time.sleep(TWO_LOOKS_SECONDS)
    check(browser.evaluate("document.querySelector('.timeline').scrollTop") == 0,
          "a timeline that nothing happens to stays where it was scrolled to")
    browser.evaluate("document.querySelector('.timeline [data-version=\"20\"]').click()")
    browser.wait(chosen(20))
    browser.evaluate("document.querySelector('.timeline').scrollTop = 9999")
    browser.evaluate("document.getElementById('version').value = 25;"
                     "document.getElementById('version').dispatchEvent(new Event('input'))")
    browser.wait(chosen(25))
    browser.wait("document.querySelector('.timeline').scrollTop < 100")
    check(True, "and goes to what is chosen")


def read_on_while_more_comes(browser):
    place("order-3")
    for number in range(24):
        revise("order-3", 60 + number)
    open_at(browser, "order-3", 3)
    for selector in (".timeline [data-version=\"3\"]", ".panel .code"):
        browser.evaluate(f"document.querySelector({selector!r}).focus()")
        browser.evaluate("getSelection().selectAllChildren(document.querySelector('.sentences'))")
        browser.evaluate("document.querySelector('.timeline').scrollTop = 150")
        focused, marked, place_of_row = where(browser)
        newest = browser.evaluate("Number(document.querySelector('.timeline [data-version]').dataset.version)")
        revise("order-3", 90)
        browser.wait(f"document.querySelector('.timeline [data-version]').dataset.version === '{newest + 1}'")
        time.sleep(TWO_LOOKS_SECONDS)
        now = where(browser)
        check(now[0] == focused, f"an event takes the focus from nobody who reads about another: {now[0]}")
        check(marked and now[1] == marked, "nor what they have marked")
        check(abs(now[2] - place_of_row) < 2, f"nor the place in the timeline: {place_of_row} {now[2]}")
    versions = browser.evaluate("[...document.querySelectorAll('.timeline button')].map(e => e.dataset.version).join()")
    check(versions == ",".join(str(number) for number in range(27, 0, -1)), f"the newest is the first: {versions}")


def where(browser):
    """What has the focus, what is marked, and how far down its frame a row is."""
    return browser.evaluate(
        "[document.activeElement.textContent.slice(0, 40), String(getSelection()),"
        "document.querySelector('.timeline [data-version=\"12\"]').getBoundingClientRect().top"
        "- document.querySelector('.timeline').getBoundingClientRect().top]")


def look_at_what_is_parked(browser):
    browser.open(f"{BASE}/dashboard?activity=order-4")
    browser.wait("document.querySelector('.slider .at')?.innerText.includes('Version 1 of 3')")
    check(not text(browser, "#activity .past"), "a blocked order opens at what phones have")
    browser.evaluate("document.querySelector('.timeline [data-version=\"2\"]').click()")
    browser.wait(f"{chosen(2)} && document.querySelector('.sentences')?.innerText.includes('parked')")
    check("Version 2 of 3" in text(browser, ".slider .at")
          and browser.evaluate("location.search").endswith("version=2"), "an event that is parked can be looked at")
    check("parked" in text(browser, "#activity .truth") and "driverName" in text(browser, "#activity .panel .code"),
          "with what was reported, and that nothing was decided")
    check("Order 7" in text(browser, "#activity h2") and not text(browser, "#activity .past"),
          "under the order's title, and as no past")
    found = browser.evaluate("fetch('/v1/activities/order-4/events').then(a => a.json()).then(d => d.events[2].id)")
    browser.evaluate("document.querySelector('.finder input').focus()")
    browser.type(found)
    browser.press_enter()
    browser.wait(chosen(3))
    check("version 3" in text(browser, ".finder .hint"), "one that is found is shown")
    open_at(browser, "order-4", 3)
    check(True, "and so is one that a link names")
    check("new, parked, or left out" in text(browser, "#activity .truth"),
          "of which the page does not say that it waits, for it may have been left out")


def follow_at_the_end(browser):
    place("order-5")
    revise("order-5", 90)
    browser.open(f"{BASE}/dashboard?activity=order-5")
    browser.wait("document.querySelector('.slider .at')?.innerText.includes('Version 2 of 2')")
    browser.evaluate("document.getElementById('version').focus()")
    revise("order-5", 80)
    browser.wait("document.querySelector('.slider .at').innerText.includes('Version 3 of 3')")
    browser.wait("document.getElementById('version').value === '3'")
    check(True, "the slider is where it says, also when it has the focus")


def use_keys_alone(browser):
    place("order-6")
    revise("order-6", 90)
    open_at(browser, "order-6", 1)
    for width in (1280, 960):
        browser.look(width, height=700)
        covered = browser.evaluate(
            "(() => { scrollTo(0, document.body.scrollHeight); return [...document.querySelectorAll("
            "'#activity :is(a, button, input, select, [tabindex=\"0\"])')].reverse().filter(e => {"
            "if (!e.checkVisibility() || e.closest('.slider')) return false; e.focus();"
            "const {left, top} = e.getBoundingClientRect();"
            "return document.elementFromPoint(left + 4, top + 4)?.closest('.top, .slider');"
            "}).map(e => e.textContent.slice(0, 20)).join(); })()")
        check(covered == "", f"nothing that has the focus is below the bars at {width} pixels: {covered}")
    browser.look(1280)
    browser.evaluate("[...document.querySelectorAll('.slider button')].at(-1).focus()")
    browser.press_enter()
    browser.wait(chosen(2))
    check(browser.evaluate("document.activeElement.id") == "version", "who goes back to now is on the slider")


def read_a_long_word(browser):
    place("order-7")
    post("DriverAssigned", "order-7", {"driverName": "W" * 60})
    open_at(browser, "order-7", 2)
    check("W" * 60 in text(browser, ".spoken"), "an alert is shown with its words")
    for width in (1280, 320):
        browser.look(width)
        nothing_sticks_out(browser, width, "an alert of one long word")
    browser.look(1280)


def ask_why_nobody_is_served(browser):
    orders = (("order-9", "token unknown to APNs here", "no", "high"), ("order-10", "dismissed", "none", "none"))
    for order, why, level, _ in orders:
        browser.open(f"{BASE}/dashboard?activity={order}")
        words = f"No phone is served any more: {why}."
        browser.wait(f"document.querySelector('#activity .truth')?.innerText === '{words}'")
        check(True, f"a page says why no phone is served: {why}")
        check(browser.evaluate("document.querySelector('#activity .truth').className") == f"truth {level}",
              f"and how bad that is: {level}")
    place("order-11")
    browser.open(f"{BASE}/dashboard")
    for order, words, _, level in (*orders, ("order-11", "no phone", "none", "none")):
        cell = f"document.querySelector('#rows [data-id={order}] .delivery')"
        # Nothing sends in this server, so that each row also says that something is on its way.
        browser.wait(f"{cell}?.innerText === '{words} · sending'")
        check(browser.evaluate(f"{cell}.dataset.level") == level, f"and so does its row: {words}")


def find_the_phone_that_needs_help(browser):
    browser.open(f"{BASE}/dashboard?activity=order-12")
    further = "[...document.querySelectorAll('#activity .further')].find(e => e.checkVisibility())"
    phones = "[...document.querySelectorAll('#activity table')].find(e => e.caption?.textContent === 'Phones').tBodies[0]"
    browser.wait(f"{further} && {phones}.rows.length === 51")
    first = browser.evaluate(f"{phones}.rows[0].innerText")
    check("Given up: InternalServerError" in first, f"a phone that needs help is the first of many: {first}")
    browser.evaluate(f"{further}.focus()")
    browser.press_enter()
    browser.wait(f"{phones}.rows.length === 70")
    check(browser.evaluate(f"!{further}") is True, "the others are a press away, each once")
    check(browser.evaluate("document.activeElement.tagName") == "TABLE", "and who pressed by a key is on the list")
    answer_instead(browser, "/v1/activities/order-12/phones", "real(path).then(a => a.json()).then(d =>"
                   " new Response(JSON.stringify({...d, behind: []})))")
    browser.wait(f"{phones}.rows[0].innerText.includes('Up to date')")
    check(browser.evaluate("document.activeElement.tagName") == "TABLE",
          "and stays there when a phone needs help no longer, which the page shows by itself")
    browser.evaluate("restore()")


def name_what_is_odd(browser):
    place("-version")
    open_at(browser, "-version", 1)
    check("islet replay show --tenant" in text(browser, "#activity") and " -- -version" in text(browser, "#activity"),
          "a command takes an id for no option")
    check("Order 7" in browser.evaluate("document.title"), "a page has its activity's title")
    browser.evaluate("history.pushState(null, '', '/dashboard?activity=nothing');"
                     "dispatchEvent(new PopStateEvent('popstate'))")
    browser.wait("document.querySelector('#activity .banner')?.checkVisibility()")
    check(browser.evaluate("document.title") == "nothing · Islet", "and one that there is not has not the one before")


def main():
    browser = open_browser()
    try:
        browser.look(1280)
        sign_in(browser, KEY)
        for step in (look_at_the_past, look_at_what_was_corrected, scroll_the_timeline, read_on_while_more_comes,
                     look_at_what_is_parked, follow_at_the_end, use_keys_alone, read_a_long_word,
                     ask_why_nobody_is_served, find_the_phone_that_needs_help, name_what_is_odd):
            step(browser)
        check(browser.complaints == [], f"the console is silent: {browser.complaints}")
    finally:
        browser.close()


main()
