"""Signs in to a running dashboard and watches orders arrive, as a person would.

usage: dashboard_check.py BASE_URL        (the API key comes in ISLET_KEY)

The server under test folds every event as it is posted, cuts the first stream it opens, so that
the page has to reconnect, and lets `/test/key/refused` and `/test/key/accepted` say what APNs
thinks of its key. With SCREENSHOTS set to a folder, pictures are left there. Where axe is
installed (requirements.txt), each page is checked by its rules in both themes.
"""

import json
import os
import sys
import time
import urllib.request
from datetime import datetime, timedelta, timezone

from browser import open_browser
from looking import check, choose, check_with_axe, look_around, nothing_sticks_out, picture, text

BASE = sys.argv[1]
KEY = os.environ["ISLET_KEY"]
MARKUP = "<img src=x onerror=window.stolen=1>"
ROWS = "document.querySelectorAll('#rows tr[data-id]').length"


def post(id, type, subject, data):
    event = {"specversion": "1.0", "id": id, "source": "/test", "type": type,
             "subject": subject, "time": later(minutes=0), "data": data}
    request = urllib.request.Request(
        f"{BASE}/v1/events", data=json.dumps(event).encode(), method="POST",
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 201, answer.status


def later(minutes=0, seconds=0):
    moment = datetime.now(timezone.utc) + timedelta(minutes=minutes, seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def place_order(subject, number, promised=None):
    post(f"placed-{subject}", "PizzaDelivery.OrderPlaced", subject,
         {"orderNumber": number, "numberOfPizzas": 2, "totalAmount": "$31.50",
          "promisedAt": promised or later(minutes=100)})


def row(id):
    return f"[...document.querySelectorAll('#rows tr')].find(e => e.dataset.id === {json.dumps(id)})"


def wait_row(browser, id, words):
    browser.wait(f"{row(id)}?.innerText.includes({json.dumps(words)})")


def search(browser, words, count):
    browser.evaluate("document.getElementById('words').value = ''")
    browser.evaluate("document.getElementById('words').focus()")
    browser.type(words)
    browser.wait(f"new URLSearchParams(location.search).get('search') === {json.dumps(words)} && {ROWS} === {count}")


def all_rows(browser, count):
    browser.evaluate("document.getElementById('words').value = ''")
    browser.evaluate("document.getElementById('words').dispatchEvent(new Event('input'))")
    browser.wait(f"{ROWS} === {count}")


def sign_in(browser):
    browser.look(1280)
    browser.open(f"{BASE}/dashboard")
    browser.evaluate("window.marker = 'not reloaded'")
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    check("Enter an API key" in text(browser, "#sign-in"), "a stranger is asked for a key")
    check(not text(browser, "#board"), "a stranger sees no board")
    picture(browser, "signed-out")
    check_with_axe(browser, "the sign-in")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type("wrong-key")
    browser.press_enter()
    browser.wait("!document.getElementById('sign-in-error').hidden")
    check("No tenant has this API key" in text(browser, "#sign-in-error"), "a wrong key is refused")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type("a key…")
    browser.press_enter()
    browser.wait("document.getElementById('sign-in-error').innerText.includes('This is no API key')")
    check(True, "and so is what no key can be")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type(" ")
    browser.press_enter()
    browser.wait("document.getElementById('sign-in-error').innerText.includes('Type an API key')")
    check(True, "and a blank")
    check(browser.evaluate("document.cookie") == "", "no script sees what the browser keeps")
    browser.evaluate("document.getElementById('key').focus()")
    browser.type(KEY)
    browser.press_enter()
    browser.wait("document.getElementById('status-text').innerText === 'Live'")
    browser.wait("document.getElementById('empty').checkVisibility()")
    check("No activities yet" in text(browser, "#empty"), "an empty tenant reads so")
    browser.wait("document.querySelectorAll('#steps li').length === 5")
    check("t1" in text(browser, "#tenant"), "the tenant's name is shown")
    check(f"curl -X POST {BASE}/v1/events" in text(browser, "#steps"),
          "an empty tenant is given commands with this server's address")
    check(browser.evaluate("document.querySelectorAll('#steps .done').length") == 1,
          "and sees what is done already")
    picture(browser, "empty")
    check_with_axe(browser, "the first steps")


def watch_orders(browser):
    place_order("order-1", "101")
    wait_row(browser, "order-1", "Order 101")
    check(True, "a new order appears by itself")
    browser.wait("!document.getElementById('first').checkVisibility()")
    check("Nothing needs attention" in text(browser, "#calm"), "nothing to do is said in a line")
    post("assigned-1", "PizzaDelivery.DriverAssigned", "order-1", {"driverName": "Ada"})
    wait_row(browser, "order-1", "alert")
    check("3 of 3" in browser.evaluate(f"{row('order-1')}.innerText"), "a row says how many phones have it")
    browser.press("j", "j")
    browser.wait("document.querySelector('.lock')?.innerText.includes('Order 101')")
    before = text(browser, ".lock .clock")
    browser.wait(f"document.querySelector('.lock .clock').innerText !== {json.dumps(before)}")
    check(True, "the row that is selected shows its phone, whose clocks run")
    check("Sketch" in text(browser, ".ribbon"), "which is called a sketch")
    check("accepted this for 3 of 3" in text(browser, ".truth"), "with what APNs accepted")
    check(browser.evaluate("window.marker") == "not reloaded", "nothing was reloaded")
    browser.evaluate("document.activeElement.blur()")


def refuse_the_key(browser):
    start = time.monotonic()
    urllib.request.urlopen(f"{BASE}/test/key/refused", timeout=10)
    browser.wait("document.getElementById('attention').innerText.includes('APNs refuses the key')")
    check(time.monotonic() - start < 5, "a refused key is said within five seconds")
    attention = text(browser, "#attention")
    check("com.example.pizza" in attention and "InvalidProviderToken" in attention,
          "with the app and APNs' reason")
    check("islet apps rotate" in attention, "and the remedy")
    wait_row(browser, "order-1", "0 of 3")
    browser.press("j", "j")
    browser.wait("document.querySelector('.phone')?.dataset.accepted === 'no'")
    check("Not accepted by APNs" in text(browser, ".truth"),
          "a card is not drawn as shown that was not accepted")
    picture(browser, "refused")
    check_with_axe(browser, "the board with a refused key")
    urllib.request.urlopen(f"{BASE}/test/key/accepted", timeout=10)
    browser.wait("document.getElementById('calm').checkVisibility()")
    browser.wait("document.querySelector('.phone')?.dataset.accepted === 'all'")
    check(True, "and is again when it was")
    browser.evaluate("document.activeElement.blur()")


def try_markup(browser):
    place_order(MARKUP, "102")
    post("assigned-2", "PizzaDelivery.DriverAssigned", MARKUP, {"driverName": MARKUP})
    wait_row(browser, MARKUP, "alert")
    check(MARKUP in text(browser, "#rows"), "markup is shown as text")
    browser.evaluate(f"{row(MARKUP)}.querySelector('a').click()")
    browser.wait("document.querySelectorAll('.sentences li').length > 0")
    check(MARKUP in text(browser, "#activity"), "on its own page too")
    check(browser.evaluate("document.querySelectorAll('main img').length") == 0, "and is no element")
    check(browser.evaluate("window.stolen") is None, "and does not run")
    browser.evaluate("history.back()")
    browser.wait(f"document.getElementById('board').checkVisibility() && {ROWS} === 2")


def filter_rows(browser):
    place_order("order-3", "103")
    post("done-3", "PizzaDelivery.OrderDelivered", "order-3", {})
    wait_row(browser, "order-3", "Ended")
    choose(browser, "phase", "ended")
    browser.wait(f"{ROWS} === 1")
    check("order-3" in text(browser, "#rows"), "the filter shows what ended")
    check("phase=ended" in browser.evaluate("location.search"), "and stands in the address")
    choose(browser, "phase", "scheduled")
    browser.wait("document.getElementById('empty').checkVisibility()")
    check("Nothing found" in text(browser, "#empty"), "a filter that fits nothing says so")
    browser.evaluate("history.back()")
    browser.wait(f"{ROWS} === 1 && document.getElementById('phase').value === 'ended'")
    check(True, "going back is going back to the filter before")
    choose(browser, "phase", "")
    browser.wait(f"{ROWS} === 3")
    choose(browser, "only", "waiting")
    browser.wait("location.search.includes('waiting')")
    check(browser.evaluate("document.getElementById('words').disabled"), "what cannot be searched has no search")
    choose(browser, "only", "")
    browser.wait(f"{ROWS} === 3 && !document.getElementById('words').disabled")
    choose(browser, "order", "id")
    browser.wait("location.search.includes('order=id')")
    browser.wait("document.querySelector('#rows tr[data-id]').dataset.id.startsWith('<img')")
    check(True, "rows come in the order that is asked for")
    choose(browser, "order", "-change")


def find_one_of_many(browser):
    for number in range(1, 9):
        place_order(f"late-night-{number}", f"9{number}")
    post("scheduled-1", "Match.MatchScheduled", "match-1",
         {"competition": "Cup", "homeTeam": "Kestrels", "awayTeam": "Wolves",
          "kickoff": later(minutes=0)})
    post("kickoff-1", "Match.PeriodStarted", "match-1", {"period": "firstHalf"})
    for words, count in [("late-night-7", 1), ("Order 97", 1), ("late-night", 8), ("kestr", 1), ("cup", 1)]:
        search(browser, words, count)
        check(True, f"{words!r} finds what is meant")
    post("goal-1", "Match.GoalScored", "match-1", {"goalID": "g1", "team": "home"})
    wait_row(browser, "match-1", "1–0")
    check(True, "a goal arrives without a reload, whatever was searched for")
    all_rows(browser, 12)


def go_back_from_a_search(browser):
    # What is typed after something else is another word.
    for phase, address in [("live", "?phase=live"), ("", "")]:
        choose(browser, "phase", phase)
        browser.wait(f"location.search === '{address}' && {ROWS} > 0")
    steps = browser.evaluate("history.length")
    search(browser, "late-night", 8)
    browser.type("-7")
    browser.wait(f"location.search.endsWith('late-night-7') && {ROWS} === 1")
    check(browser.evaluate("history.length") == steps + 1, "a word is one step back, however slowly it is typed")
    browser.evaluate("history.back()")
    browser.wait(f"location.search === '' && {ROWS} === 12")
    check(browser.evaluate("document.getElementById('words').value") == "", "which takes it out of its field as well")
    choose(browser, "phase", "live")
    browser.wait("location.search === '?phase=live'")
    check(True, "and the next filter does not bring it back")
    choose(browser, "phase", "")
    browser.wait(f"{ROWS} === 12")


def turn_late(browser):
    choose(browser, "only", "late")
    browser.wait("document.getElementById('empty').checkVisibility()")
    place_order("order-5", "105", promised=later(seconds=3))
    wait_row(browser, "order-5", "Late")
    check(True, "an order turns late by itself")
    for width in (1920, 1024):
        browser.look(width)
        check(browser.evaluate(f"""(() => {{
            const flag = {row("order-5")}.querySelector(".flag");
            flag.innerText = "Blockiert und verspätet";
            return flag.scrollWidth <= flag.clientWidth
                && flag.getBoundingClientRect().bottom <= flag.closest("td").getBoundingClientRect().bottom;
        }})()"""), f"and its flag is read in full at {width} pixels")
    browser.look(1280)
    browser.wait("document.getElementById('attention').innerText.includes('late')")
    check(True, "and is something that needs attention")
    post("done-5", "PizzaDelivery.OrderDelivered", "order-5", {})
    choose(browser, "only", "")
    browser.wait(f"{ROWS} === 13")


def look_back(browser):
    browser.evaluate(f"{row('match-1')}.querySelector('a').click()")
    browser.wait("document.querySelector('.timeline button[aria-current]')?.dataset.version === '3'")
    browser.wait("document.querySelector('#activity .lock').innerText.includes('1–0')")
    check("1–0" in text(browser, "#activity h2"), "an activity has a page of its own")
    browser.evaluate("document.getElementById('version').value = 2;"
                     "document.getElementById('version').dispatchEvent(new Event('input'))")
    browser.wait("document.querySelector('#activity .lock').innerText.includes('0–0')")
    check("0–0" in text(browser, "#activity h2"), "the slider shows the score before the goal")
    browser.wait("document.querySelector('.sentences').innerText.includes('Version 2')")
    check("version=2" in browser.evaluate("location.search"), "the address keeps the moment")
    browser.wait("document.getElementById('activity').innerText.includes('of 4,096 bytes')")
    check(True, "the payload's bytes are those of 4,096")
    check("dismissed" in text(browser, "#activity"), "what apps reported is shown")
    check("token" not in text(browser, "#activity").lower().replace("replaced by another token", ""),
          "and no token")
    browser.evaluate("document.querySelector('.finder input').focus()")
    browser.type("goal-1")
    browser.press_enter()
    browser.wait("document.querySelector('.timeline button[aria-current]')?.dataset.version === '3'")
    check(True, "an event is found by its id")
    check("islet replay show --tenant t1 match-1" in text(browser, "#activity"), "a command shows the same")
    browser.evaluate("window.saved = []; URL.createObjectURL = blob => (window.saved.push(blob), '#')")
    browser.evaluate("[...document.querySelectorAll('.tools button')].at(-1).click()")
    browser.wait("window.saved.length === 1")
    bundle = browser.evaluate("window.saved[0].text()")
    check("Kestrels" not in bundle and "GoalScored" in bundle, "evidence names no names")
    check_with_axe(browser, "an activity's page")
    browser.open(f"{BASE}/dashboard?activity=match-1&version=2")
    browser.wait("document.querySelector('#activity .lock')?.innerText.includes('0–0')")
    check(True, "a link to a moment leads there")
    browser.evaluate("document.querySelector('.back').click()")
    browser.wait(f"{ROWS} === 13")


def stay_on_a_row(browser):
    browser.press("j", "j")
    browser.wait("document.activeElement.closest('#rows tr')")
    post("revised-1", "PizzaDelivery.EstimateRevised", "late-night-1",
         {"estimatedAt": later(minutes=90), "reason": "traffic"})
    browser.wait("document.getElementById('newer').checkVisibility()")
    check(text(browser, "#counts") == "13 loaded", "while newer changes wait, a list does not say that it is whole")
    browser.evaluate("document.activeElement.blur()")
    browser.wait("document.getElementById('counts').innerText === '13 activities'")
    check(not text(browser, "#newer"), "and does when they are shown")


def use_keys_alone(browser):
    browser.evaluate("document.activeElement.blur()")
    browser.press("?", "?")
    browser.wait("document.getElementById('keys').open")
    browser.press("Escape")
    browser.wait("!document.getElementById('keys').open")
    browser.press("/", "/")
    browser.wait("document.activeElement.id === 'words'")
    browser.type("order-1")
    browser.wait("document.querySelector('#rows tr[data-id]')?.dataset.id === 'order-1'"
                 f" && {ROWS} < 13")
    browser.press("Escape")
    browser.press("j", "j")
    browser.wait("document.activeElement.closest('tr')?.dataset.id === 'order-1'")
    browser.press_enter()
    browser.wait("document.querySelectorAll('.sentences li').length > 0")
    check("Ada" in text(browser, "#activity"), "keys alone lead to a why")
    browser.press("Escape")
    browser.wait("document.getElementById('board').checkVisibility()")
    browser.wait("document.activeElement.closest('tr')?.dataset.id === 'order-1'")
    check(True, "and back to the row that one came from")
    all_rows(browser, 13)


def look_at_pages(browser):
    for page, address in [("board", "/dashboard"), ("activity", "/dashboard?activity=order-1")]:
        browser.open(f"{BASE}{address}")
        ready = ROWS + " > 0" if page == "board" else "document.querySelectorAll('.sentences li').length > 0"
        browser.wait(ready)
        look_around(
            browser, page, f"the {page}",
            {"button", "radio", "textbox", "searchbox", "combobox", "checkbox", "link", "slider"})
    check("Order 101" in text(browser, "#activity .lock"), "forced colours show the phone")
    border = browser.evaluate("getComputedStyle(document.querySelector('.lock')).borderTopStyle")
    check(border == "solid", "and its edge")
    browser.look(1280)


def change_settings(browser):
    browser.open(f"{BASE}/dashboard?activity=order-1")
    browser.wait("document.querySelectorAll('.sentences li').length > 0")
    choose(browser, "language", "de")
    browser.wait("document.documentElement.lang === 'de'")
    browser.wait("document.getElementById('activity').innerText.includes('Warum')")
    check("Abmelden" in text(browser, "#sign-out"), "the page speaks German")
    if browser.looks_around:
        browser.look(320)
        nothing_sticks_out(browser, 320, "an activity in German")
        browser.look(1280)
    choose(browser, "zone", "utc")
    browser.wait("document.querySelector('.slider .at').innerText.includes('UTC')")
    browser.wait("document.querySelector('.sentences time')?.innerText.includes('UTC')")
    check("Z" in browser.evaluate("document.querySelector('.sentences time').title"),
          "sentences have their moments in the zone that is chosen, and as the log has them in a hint")
    choose(browser, "theme", "dark")
    dark = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    choose(browser, "theme", "light")
    light = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    check(dark != light, "themes are chosen")
    for name, value in [("language", "en"), ("zone", "local"), ("theme", "system")]:
        choose(browser, name, value)
    browser.wait("document.documentElement.lang === 'en'")


def open_no_name(browser):
    browser.open(f"{BASE}/dashboard?activity=.")
    browser.wait("document.querySelector('#activity .banner')?.checkVisibility()")
    told = text(browser, "#activity .banner")
    check("“.”" in told and "from the list" in told, f"says why “.” cannot be opened: {told}")


def leave(browser):
    check(KEY not in browser.evaluate("location.href"), "the key is not in the address")
    browser.open(f"{BASE}/dashboard")
    browser.wait(f"{ROWS} === 13")
    check(True, "a reload in the same tab stays signed in")
    browser.evaluate("document.getElementById('sign-out').click()")
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    check(browser.evaluate("sessionStorage.length") == 0, "nothing is in a storage but how it looks")
    check(browser.evaluate("fetch('/v1/me').then(answer => answer.status)") == 401, "signing out is for good")
    check(browser.evaluate(ROWS) == 0, "and the rows")
    check(browser.complaints == [], f"the console is silent: {browser.complaints}")


def main():
    browser = open_browser()
    try:
        for step in (sign_in, watch_orders, refuse_the_key, try_markup, filter_rows, find_one_of_many,
                     go_back_from_a_search, turn_late, look_back, stay_on_a_row, use_keys_alone, look_at_pages, change_settings, open_no_name,
                     leave):
            if step is not look_at_pages or browser.looks_around:
                step(browser)
    finally:
        browser.close()


main()
