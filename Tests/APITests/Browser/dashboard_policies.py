"""Changes policies on the dashboard while others do, as people with little time would.

usage: dashboard_policies.py BASE_URL    (the API key comes in ISLET_KEY)

The server under test has an order `order-1` with an alert, no policy yet, and takes the key of
another tenant too: ISLET_OTHER_KEY, or `theirs`.
"""

import json
import os
import urllib.request

from browser import open_browser
from looking import check, choose, look_around, text
from operating import BASE, BUSY, answer, answer_instead, fill, give_key, go, press, sign_in, sign_out, write

KEY = os.environ["ISLET_KEY"]
OTHER_KEY = os.environ.get("ISLET_OTHER_KEY", "theirs")
DOCUMENT = "document.getElementById('policy-document')?.value"
SAID = "document.querySelector('#other .said-line').innerText"
DELAY = "document.getElementById('threshold-delayStepSeconds')"
# A text that differs from every policy here.
DRAFT = '{"rules": {"late": "timely"}}'


def request(method, path, body=None, key=KEY):
    asked = urllib.request.Request(
        f"{BASE}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=10) as answered:
        return json.loads(answered.read() or "null")


def edit(browser, kind="PizzaDelivery"):
    """Opens the editor with a whole new page."""
    go(browser, "policies", f"&kind={kind}")
    browser.wait(f"{DOCUMENT} !== undefined && document.querySelector('#policy-kind').value === '{kind}'")


def drop_draft(browser):
    press(browser, "Drop the draft")
    question = answer(browser, "Drop the draft")
    browser.wait("[...document.querySelectorAll('#other button')]"
                 ".every(e => e.textContent !== 'Drop the draft' || !e.checkVisibility())")
    return question


def set_field(browser, value):
    browser.evaluate(f"(e => {{ e.value = '{value}'; e.dispatchEvent(new Event('change')); }})({DELAY})")


def described(browser, element):
    """What a screen reader says after the name of something."""
    return browser.evaluate(
        f"({element}.getAttribute('aria-describedby') ?? '').split(' ')"
        ".map(id => document.getElementById(id)?.innerText ?? '').join(' ')")


def look(browser, name):
    if browser.looks_around:
        look_around(browser, name, name, {"button", "textbox", "combobox", "link", "spinbutton"})
        browser.look(1280)


def find_faults(browser):
    edit(browser)
    write(browser, '{"thresholds": {"delayStepSeconds": 5, "nope": 1}, "rules": {"x": "alert"}}')
    press(browser, "Check")
    browser.wait("document.querySelectorAll('#policy-faults li').length === 3")
    said = text(browser, "#policy-faults")
    check(all(each in said for each in ["/thresholds/delayStepSeconds", "/thresholds/nope", "/rules/x"]),
          "every fault is listed with its pointer")
    check("3 errors" in browser.evaluate(SAID), "and their number is said")
    check(browser.evaluate("document.getElementById('policy-document').getAttribute('aria-invalid')") == "true"
          and "nope" in described(browser, "document.getElementById('policy-document')"),
          "the document is marked, and says what is wrong with it")
    check(browser.evaluate(f"{DELAY}.getAttribute('aria-invalid')") == "true"
          and "60 to 7200" in described(browser, DELAY), "the field that a pointer names is marked, too")
    look(browser, "policy-faults")
    press(browser, "/thresholds/delayStepSeconds")
    check(browser.evaluate("document.activeElement.id") == "threshold-delayStepSeconds",
          "a fault leads to its field")
    write(browser, "{}")
    press(browser, "Check")
    browser.wait(f"{SAID}.includes('Nothing is wrong')")
    check(browser.evaluate("document.querySelectorAll('#other [aria-invalid]').length") == 0
          and text(browser, "#policy-faults") == "", "and no mark is left when all is well")


def follow_the_document(browser):
    edit(browser)
    set_field(browser, 5)
    check(browser.evaluate(f"JSON.parse({DOCUMENT}).thresholds.delayStepSeconds") == 5
          and browser.evaluate(f"{DELAY}.getAttribute('aria-invalid')") == "true"
          and "from 60 to 7200" in browser.evaluate(SAID),
          "a number outside its bounds is marked as soon as it is typed")
    write(browser, '{"thresholds": {"delayStepSeconds": 2000}}')
    check(browser.evaluate(f"{DELAY}.value") == "2000"
          and browser.evaluate(f"{DELAY}.hasAttribute('aria-invalid')") is False,
          "a field says what the document says")
    for broken, why in [("{bad", "not JSON"), ("null", "no JSON object"), ("0", "no JSON object"),
                        ("[]", "no JSON object"), ('"x"', "no JSON object"), ("", "not JSON"),
                        ('{"thresholds": {"a/b": [1e999]}}', "/thresholds/a~1b/0 is too large")]:
        write(browser, broken)
        check(browser.evaluate(f"{DELAY}.matches(':disabled')") and why in text(browser, "#policy-wait"),
              f"fields wait while the document is {broken!r}, and say why")
        press(browser, "Check")
        check(why in browser.evaluate(SAID), "which checking it says as well")
        set_field(browser, 700)
        check(browser.evaluate(DOCUMENT) == broken and why in browser.evaluate(SAID)
              and browser.evaluate(f"{DELAY}.value") == "2000", "and no field changes it, or says something else")
    write(browser, '{"thresholds": 5}')
    check(browser.evaluate(f"{DELAY}.matches(':disabled')"), "nor do they change thresholds that are none")
    press(browser, "Check")
    browser.wait("document.querySelector('#policy-faults').innerText.includes('/thresholds')")
    write(browser, "{}")
    check(browser.evaluate(f"{DELAY}.value") == "600" and text(browser, "#policy-wait") == "",
          "without a word of the document a field says what is built in")


def keep_drafts(browser):
    edit(browser)
    write(browser, DRAFT)
    for id, value in [("language", "de"), ("language", "en"), ("theme", "dark"), ("theme", "system"),
                      ("zone", "utc"), ("zone", "local")]:
        browser.evaluate("document.querySelector('#policy-document').dataset.old = ''")
        choose(browser, id, value)
        browser.wait(f"document.querySelector('#policy-document:not([data-old])') && {DOCUMENT} !== ''")
        check(browser.evaluate(DOCUMENT) == DRAFT, f"a draft outlives {id} {value}")
    choose(browser, "policy-kind", "Match")
    browser.wait(f"location.search.includes('Match') && {DOCUMENT} === '{{}}'")
    browser.evaluate("history.back()")
    browser.wait(f"location.search.includes('PizzaDelivery') && {DOCUMENT} === {json.dumps(DRAFT)}")
    check(True, "and another kind, which has none")
    if browser.looks_around:
        # Only somebody who has touched a page is asked.
        browser.evaluate("document.getElementById('policy-document').focus()")
        browser.press("a", "a")
        edit(browser)
        check(browser.is_asked_to_stay, "who leaves a draft is asked first")
        browser.is_asked_to_stay = False
    else:
        drop_draft(browser)
    browser.wait(f"{DOCUMENT} === '{{}}'")
    write(browser, DRAFT)
    check("changed" in drop_draft(browser), "a draft is dropped by a button, which asks")
    check(browser.evaluate(DOCUMENT) == "{}", "and the policy is there again")
    edit(browser)
    check(not getattr(browser, "is_asked_to_stay", False), "after which nobody is asked")


def meet_another(browser):
    edit(browser)
    write(browser, DRAFT)
    request("PUT", "/v1/policies/PizzaDelivery", {"thresholds": {"graceSeconds": 1200}})
    press(browser, "Put in force")
    answer(browser, "Put in force")
    browser.wait(f"{SAID}.includes('somebody else has put version 1')")
    check(browser.evaluate(DOCUMENT) == DRAFT, "a conflict keeps the draft")
    seen = text(browser, "#other")
    check("Version 1, from position" in seen and "Built-in policy" not in seen,
          "and shows the newest version, in the history too")
    check(browser.evaluate("document.getElementById('threshold-graceSeconds').value") == "600",
          "while fields go on saying what the draft says")
    theirs, mine = browser.evaluate(
        "[...document.querySelectorAll('.meanwhile .diff')].map(e => e.innerText)")
    check("+     \"graceSeconds\": 1200" in theirs, "their change is shown")
    check("-     \"graceSeconds\": 1200" in mine and "+     \"late\"" in mine, "and mine, compared with it")
    check("version 1" in browser.evaluate("document.activeElement.innerText"), "where the focus goes")
    look(browser, "policy-conflict")
    choose(browser, "language", "de")
    browser.wait("document.querySelector('.meanwhile')?.innerText.includes('Jemand anders')")
    choose(browser, "language", "en")
    browser.wait("document.querySelector('.meanwhile')?.innerText.includes('Somebody else')")
    write(browser, '{"rules": {"late": "timely"}, "thresholds": {"graceSeconds": 1200}}')
    press(browser, "Put in force")
    press(browser, "Put in force")
    answer(browser, "Put in force")
    browser.wait(f"{SAID}.includes('Version 2 is in force')")
    browser.wait("document.querySelector('#other').innerText.includes('Version 2, from position')")
    check(not browser.evaluate("document.querySelector('.meanwhile').checkVisibility()"),
          "and the next press puts it, about what the other has put")
    check(not browser.evaluate("document.querySelector('dialog.ask')"), "once, however often it is pressed")


def take_an_older_version(browser):
    edit(browser)
    browser.wait("document.querySelectorAll('#other details button').length === 2")
    write(browser, '{"thresholds": {"graceSeconds": 700}}')
    take = "[...document.querySelectorAll('#other details')].at(-1)"
    browser.evaluate(f"{take}.open = true")
    browser.evaluate(f"{take}.querySelector('button').click()")
    check("version 1" in answer(browser, "Cancel"), "an older version asks before it takes a draft's place")
    check("700" in browser.evaluate(DOCUMENT), "and leaves it when the answer is no")
    browser.evaluate(f"{take}.querySelector('button').click()")
    answer(browser, "Put it into the editor")
    grace = "document.getElementById('threshold-graceSeconds').value"
    browser.wait(f"{grace} === '1200' && !{DOCUMENT}.includes('late')")
    check(True, "and its numbers are in the fields")
    drop_draft(browser)
    browser.evaluate(f"{take}.querySelector('button').click()")
    browser.wait(f"!{DOCUMENT}.includes('late')")
    check(not browser.evaluate("document.querySelector('dialog.ask')"), "without a draft nothing is asked")
    drop_draft(browser)


def read_a_history_with_an_end(browser):
    edit(browser)
    listed = "document.querySelectorAll('#other details button').length"
    browser.wait(f"{listed} === 2")
    answer_instead(browser, "/v1/policies/PizzaDelivery/versions",
                   "real(path).then(a => a.json()).then(d => new Response("
                   "JSON.stringify({...d, versions: d.versions.slice(0, 1)})))")
    # The page is drawn and read again.
    choose(browser, "language", "de")
    browser.wait(f"{listed} === 1")
    browser.evaluate("document.querySelector('#other details').open = true")
    changed = text(browser, "#other details .diff")
    check('+     "late"' in changed and '+     "graceSeconds"' not in changed and '"graceSeconds"' in changed,
          "the oldest version of a list with an end is compared with the one before it")
    browser.evaluate("restore()")
    choose(browser, "language", "en")
    browser.wait(f"{listed} === 2")


def try_on_the_past(browser):
    edit(browser)
    write(browser, '{"texts": {"en": {"driverAssigned.title": "Off we go"}}}')
    press(browser, "Try it")
    browser.wait("document.querySelector('#other .tried')")
    said = text(browser, ".tried")
    changed = "0 added, 0 removed, 0 moved to another push, 1 with another text, 0 kept back until quiet hours end"
    check(changed in said, f"an alert in other words is counted: {said}")
    check(f"after ({changed})" in text(browser, "#other details"), "of its order as well")
    check("partial" not in said and "could not" not in said and "in part" not in said,
          "and nothing else of an answer that is whole")
    changed_since = "another document or activity"
    check(changed_since not in text(browser, "#other"), "what was found is about what stands there")
    write(browser, "{}")
    check(changed_since in text(browser, "#other"), "and says so when something else does")
    write(browser, '{"texts": {"en": {"driverAssigned.title": "Off we go"}}}')
    check(changed_since not in text(browser, "#other"), "and no more when it is there again")
    fill(browser, "One activity (empty: all of the kind)", "order-2")
    check(changed_since in text(browser, "#other"), "nor is it about another activity")
    fill(browser, "One activity (empty: all of the kind)", "")
    choose(browser, "language", "de")
    browser.wait("document.querySelector('#other .tried')?.innerText.includes('mit anderem Text')")
    choose(browser, "language", "en")
    browser.wait("document.querySelector('#other .tried')?.innerText.includes('with another text')")
    check(changed_since not in text(browser, "#other"), "it stays in another language")
    answer_instead(browser, "/v1/policies/PizzaDelivery/what-if", BUSY)
    write(browser, "{}")
    press(browser, "Try it")
    browser.wait(f"{SAID}.includes('The node is busy.')")
    check(changed_since in text(browser, "#other"), "and is not about what was tried in vain")
    browser.evaluate("restore()")
    write(browser, '{"texts": {"en": {"driverAssigned.title": "Off we go"}}}')
    told = {"version": 2, "at": "2027-01-15T08:00:00Z", "title": "On its way", "body": "Ada rides."}
    changes = {"added": 0, "removed": 0, "moved": 3, "reworded": 1, "keptBack": 4}
    keys = {"title": {"loc-key": "RIDE"}, "body": {"loc-key": "RIDES", "loc-args": ["Ada", "2"]}}
    same = {"fr": {"title": "En route", "body": "Ada roule."}}
    found = {"activities": 5, "events": 9, "activitiesLeftOut": 2, "activitiesPartial": 1, "activitiesAffected": 1,
             "changes": changes, "triedInPart": ["overdueStepSeconds", "quietHours"],
             "alerts": {"before": 3, "after": 3}, "pushes": {"before": 3, "after": 3},
             "shown": [{"activity": "order-1", "isPartial": True, "changes": changes,
                        "pushes": {"before": 3, "after": 3}, "alerts": {
                            "before": [{**told, "translations": {
                                **same, "de": {"title": "Los", "body": "Ada fährt."}}}],
                            "after": [{**told, "keys": keys, "translations": {
                                **same, "de": {"title": "Auf geht's", "body": "Ada fährt."},
                                "pl": {"title": "W drodze", "body": "Ada jedzie."}}}]}}],
             "next": "/v1/policies/PizzaDelivery/what-if?after=x"}
    browser.evaluate(
        "{ const real = window.fetch; let count = 0; window.fetch = (path, ...more) => {"
        "if (!String(path).includes('what-if')) return real(path, ...more);"
        "count += 1; if (count > 1) return Promise.reject(new Error('it broke'));"
        f"return Promise.resolve(new Response(JSON.stringify({json.dumps(found)}))); }}; "
        "window.restore = () => { window.fetch = real; }; }")
    press(browser, "Try it")
    browser.wait(f"{SAID}.includes('did not answer')")
    said = text(browser, ".tried")
    check("3 moved to another push" in said, "an alert that another push carries is counted")
    check("2 of them could not be tried" in said, "and how many orders could not be tried")
    check("partial" in said, "and that there are more")
    check("4 kept back until quiet hours end" in said, "and alerts that quiet hours keep back")
    check("1 of them has so many events" in said, "and how many orders were tried in part")
    check("overdueStepSeconds, quietHours were tried in part: only the clock" in said,
          "and what only the clock could try")
    tried = "[...document.querySelectorAll('#other details')].find(e => e.innerText.includes('order-1: '))"
    browser.evaluate(f"{tried}.open = true")
    check("only its first events were tried" in browser.evaluate(f"{tried}.querySelector('summary').innerText"),
          "an order that was tried in part says so")
    before, after = browser.evaluate(f"[...{tried}.querySelectorAll('.beside > div')].map(e => e.innerText)")
    check("de: Los: Ada fährt." in before and "de: Auf geht's: Ada fährt." in after,
          f"a language that differs is shown on both sides: {before} | {after}")
    check("pl: –" in before and "pl: W drodze: Ada jedzie." in after
          and "fr:" not in before + after, "one that is new as well, and none that is the same")
    check("By keys of the app: –" in before and "RIDE · RIDES, Ada, 2" in after, "and keys of the app")
    check(browser.evaluate(f"{tried}.querySelector('[lang=pl]').innerText") == "W drodze: Ada jedzie.",
          "a screen reader knows the language")
    look(browser, "what-if-words")
    browser.evaluate("restore()")
    drop_draft(browser)


def sign_in_for_a_while(browser, owner=KEY):
    """@returns what ends the sign-in: its key is revoked."""
    made = request("POST", "/v1/keys", {"label": "short", "scopes": ["admin", "activities:read"]}, owner)
    give_key(browser, made["key"])

    def end():
        request("DELETE", f"/v1/keys/{made['id']}", key=owner)
        press(browser, "Check")
        browser.wait("document.getElementById('sign-in').checkVisibility()")
    return end


def come_back(browser):
    """A sign-in ends while somebody writes."""
    sign_out(browser)
    end = sign_in_for_a_while(browser)
    browser.wait(f"{DOCUMENT} !== undefined && {DOCUMENT} !== ''")
    write(browser, DRAFT)
    end()
    check(text(browser, "#other") == "", "nothing is left to see when a sign-in has ended")
    end = sign_in_for_a_while(browser, OTHER_KEY)
    browser.wait(f"{DOCUMENT} === '{{}}'")
    check(True, "another tenant has no draft")
    end()
    give_key(browser, KEY)
    browser.wait(f"{DOCUMENT} === {json.dumps(DRAFT)}")
    check(True, "and who signs in for the same tenant goes on where they were")


def leave_nothing(browser):
    for button in ["sign-out", "sign-out-all"]:
        write(browser, DRAFT)
        browser.evaluate(f"document.getElementById('{button}').click()")
        browser.wait("fetch('/v1/me').then(answer => answer.status === 401)")
        give_key(browser, KEY)
        browser.wait(f"{DOCUMENT} !== undefined && {DOCUMENT} !== ''")
        check(browser.evaluate(DOCUMENT) != DRAFT, f"who leaves by {button} leaves no draft behind")
    # In another tab, which has the same cookie.
    write(browser, DRAFT)
    press(browser, "Drop the draft")
    browser.wait("document.querySelector('dialog.ask')?.open")
    browser.evaluate("new BroadcastChannel('islet-sign-in').postMessage('out')")
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    check(not browser.evaluate("document.querySelector('dialog[open]')"), "no question outlives a sign-in")
    check(text(browser, "#other") == "", "nor in another tab of the same browser")
    give_key(browser, KEY)
    browser.wait(f"{DOCUMENT} !== undefined && {DOCUMENT} !== ''")
    check(browser.evaluate(DOCUMENT) != DRAFT, "whose drafts go as well")


def main():
    browser = open_browser()
    try:
        browser.look(1280)
        sign_in(browser, KEY)
        for step in (find_faults, follow_the_document, keep_drafts, meet_another, take_an_older_version,
                     read_a_history_with_an_end, try_on_the_past, come_back, leave_nothing):
            step(browser)
        check(browser.complaints == [], f"the console is silent: {browser.complaints}")
    finally:
        browser.close()


main()
