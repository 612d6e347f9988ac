"""Looks after a tenant from the dashboard alone, as an operator would.

usage: dashboard_office.py BASE_URL       (the API key comes in ISLET_KEY)

The server under test has two orders that are blocked, an order with an alert, figures of the last
minutes, a key `reader` that may only read, and webhooks that arrive unless they are called broken.
With SCREENSHOTS set to a folder, pictures are left there.
"""

import os
import time

from browser import open_browser
from looking import check, choose, check_with_axe, look_around, nothing_sticks_out, picture, text
from operating import BASE, BUSY, answer, answer_instead, fill, follow, go, press, rows, sign_in, write

KEY = os.environ["ISLET_KEY"]
VIEWS = ["blocked", "letters", "policies", "apps", "channels", "nodes", "webhooks", "keys", "audit", "tenants"]


def keep_no_secret(browser):
    check(browser.evaluate("document.cookie") == "", "no script sees the cookie")
    check(browser.evaluate("sessionStorage.length") == 0, "nothing is in a storage")
    check(KEY not in browser.evaluate("location.href"), "and nothing in the address")
    check("kitchen" in text(browser, "#tenant"), "the tenant's name is shown")


def unblock(browser):
    browser.wait("document.getElementById('attention').innerText.includes('blocked by an event')")
    browser.evaluate("[...document.querySelectorAll('#attention .item')]"
                     ".find(e => e.innerText.includes('blocked')).querySelector('a').click()")
    browser.wait(f"{rows()} === 2")
    check("made up" in text(browser, "#other"), "an operator sees which event blocks an order, and why")
    picture(browser, "blocked-wide")
    go(browser, "blocked", "&activity=order-3")
    browser.wait("document.querySelector('#other').innerText.includes('No event of order-3 is blocked')")
    check("Only those of order-3" in text(browser, "#other"), "a list of one order says that it is of that one")
    follow(browser, "Show all")
    browser.wait(f"{rows()} === 2 && !document.querySelector('#other').innerText.includes('order-3')")
    check(True, "and leads to all")
    press(browser, "Retry")
    question = answer(browser, "Cancel")
    check("order-1" in question and "again" in question, "what is done is asked first, by its name")
    check(browser.evaluate(rows()) == 2, "and nothing is done when the answer is no")
    press(browser, "Retry")
    answer(browser, "Retry")
    browser.wait("document.querySelector('#other .said-line').innerText.includes('not blocked any more')")
    browser.wait(f"{rows()} === 1")
    check(True, "a blocked order is unblocked from the dashboard alone")
    press(browser, "Skip")
    check("for good" in answer(browser, "Skip"), "leaving an event out says that it is for good")
    browser.wait(f"{rows()} === 0 && document.querySelector('#other .panel').innerText.includes('No event is blocked')")
    follow(browser, "Show those that were left out")
    browser.wait(f"{rows()} === 1")
    check("for good" in text(browser, "#other") and browser.evaluate(
        "document.querySelectorAll('#other tbody button').length") == 0, "and is in a list of its own from then on")
    follow(browser, "Show those that are blocked")
    browser.wait(f"{rows()} === 0")
    browser.evaluate("document.querySelector('#home').click()")
    browser.wait("document.getElementById('attention').children.length > 0"
                 " && !document.getElementById('attention').innerText.includes('blocked')")
    check(True, "and then it needs no attention any more")


def look_after_keys(browser):
    go(browser, "keys")
    browser.wait(f"{rows()} === 3")
    browser.evaluate("document.querySelector('#other summary').click()")
    fill(browser, "Label", "till 5")
    fill(browser, "events:write", "")
    press(browser, "Create")
    browser.wait("document.querySelector('#other .copyable')?.innerText.includes('islet_')")
    check(True, "a key that is made is shown once")
    browser.wait(f"{rows()} === 4")
    secret = browser.evaluate("document.querySelector('#other .copyable code').textContent")
    go(browser, "keys")
    browser.wait(f"{rows()} === 4")
    check(secret not in text(browser, "#other"), "and never again")
    browser.evaluate("[...document.querySelectorAll('#other tbody tr')]"
                     ".find(e => e.innerText.includes('till 5')).querySelector('button').click()")
    check("till 5" in answer(browser, "Revoke"), "revoking a key names it")
    browser.wait("document.querySelector('#other .plain-table').innerText.includes('Revoked')")
    own = browser.evaluate("[...document.querySelectorAll('#other tbody tr')]"
                           ".find(e => e.innerText.includes('yours')).querySelectorAll('button').length")
    check(own == 0, "one's own key has no such button")


def find_faults_of_forms(browser):
    go(browser, "keys")
    browser.wait(f"{rows()} > 0")
    browser.evaluate("document.querySelector('#other summary').click()")
    fill(browser, "Label", "x" * 300)
    press(browser, "Create")
    browser.wait("document.querySelectorAll('#other .faults li').length === 2")
    check("2 errors" in text(browser, "#other [role=alert]"), "faults of a form are counted")
    listed = "[...document.querySelectorAll('#other .faults button')].map(e => e.innerText).sort().join()"
    check(browser.evaluate(listed) == "Label,Scopes", "and listed, each with its field")
    label = "document.querySelector('#other .form input[type=text]')"
    check(browser.evaluate(f"{label}.getAttribute('aria-invalid')") == "true"
          and "200 bytes" in browser.evaluate(
              f"document.getElementById({label}.getAttribute('aria-describedby')).innerText"),
          "a field is marked, and says what is wrong with it")
    box = "document.querySelector('#other .checks input')"
    check("one or more of" in browser.evaluate(
        f"document.getElementById({box}.getAttribute('aria-describedby')).innerText")
          and browser.evaluate("document.querySelectorAll('#other .checks [aria-invalid=true]').length") == 5,
          "and so is a group of boxes")
    if browser.looks_around:
        look_around(browser, "form-faults", "form-faults", {"button", "textbox", "checkbox", "link", "spinbutton"})
        browser.look(1280)
    press(browser, "Scopes", "#other .faults")
    check(browser.evaluate("document.activeElement.value") == "events:write", "a fault leads to its field")
    browser.evaluate(f"{label}.focus()")
    browser.press("End")
    browser.type("y")
    check(browser.evaluate(f"{label}.hasAttribute('aria-invalid')") is False, "whose mark goes when it is changed")


def change_settings(browser, ready):
    """Of each sort, there and back: every one draws the page again."""
    for id, value in [("language", "de"), ("language", "en"), ("theme", "dark"), ("theme", "system"),
                      ("zone", "utc"), ("zone", "local")]:
        browser.evaluate("document.querySelector('#other form').dataset.old = ''")
        choose(browser, id, value)
        browser.wait(f"!document.querySelector('#other form[data-old]') && {rows()} > 0 && ({ready})")
        yield f"{id} {value}"


def keep_what_is_typed(browser):
    go(browser, "keys")
    browser.wait(f"{rows()} > 0")
    browser.evaluate("document.querySelector('#other summary').click()")
    fill(browser, "Label", "till 6")
    fill(browser, "activities:read", "")
    typed = ("[document.querySelector('#other .form input[type=text]').value,"
             "...[...document.querySelectorAll('#other .checks input')].filter(e => e.checked)"
             ".map(e => e.value)].join()")
    for setting in change_settings(browser, "document.querySelector('#other form').checkVisibility()"):
        check(browser.evaluate(typed) == "till 6,activities:read", f"a form keeps what was typed at {setting}")
    fill(browser, "Label", "x" * 300)
    press(browser, "Create")
    browser.wait("document.querySelectorAll('#other .faults li').length === 1")
    for setting in change_settings(browser, "document.querySelector('#other .form [aria-invalid=true]')"):
        check("200 bytes" in text(browser, "#other .form .field .error")
              and "1" in text(browser, "#other [role=alert]"), f"and what is wrong with it at {setting}")
    fill(browser, "Label", "till 6")
    for setting in change_settings(browser, "document.querySelector('#other .faults li')"):
        check(browser.evaluate("document.querySelectorAll('#other .form [aria-invalid]').length") == 0,
              f"but not of what was changed since then, at {setting}")
    press(browser, "Create")
    browser.wait("document.querySelector('#other .copyable')?.innerText.includes('islet_')")
    secret = text(browser, "#other .copyable code")
    for setting in change_settings(browser, "document.querySelector('#other .copyable')"):
        check(text(browser, "#other .copyable code") == secret, f"a key that is shown once stays at {setting}")
    check(browser.evaluate(typed) == "", "and what was sent is not in the form any more")
    go(browser, "tenants")
    browser.wait(f"{rows()} > 0")
    press(browser, "Set limits")
    browser.wait("document.querySelector('#other .below form')?.checkVisibility()")
    fill(browser, "eventsPerSecond", "77")
    limit = "document.querySelectorAll('#other .below input')[1]?.value"
    for setting in change_settings(browser, f"{limit} === '77'"):
        check(True, f"a form below a row keeps what was typed at {setting}")


def meet_a_busy_server(browser):
    go(browser, "audit")
    browser.wait(f"{rows()} > 0")
    answer_instead(browser, "/v1/audit", BUSY)
    browser.evaluate("document.querySelector('#other .tabs [aria-current]').click()")
    browser.wait("document.querySelector('#other .panel').innerText.includes('cannot be read: The node is busy.')")
    check("Nothing was done yet" not in text(browser, "#other"), "a list that cannot be read is not said to be empty")
    browser.evaluate("restore()")
    browser.evaluate("document.querySelector('#other .tabs [aria-current]').click()")
    browser.wait(f"{rows()} > 0")
    check("cannot be read" not in text(browser, "#other"), "and is read again by a press on where one is")
    answer_instead(browser, "/v1/audit", BUSY)
    browser.evaluate("document.querySelector('#other .tabs [aria-current]').click()")
    browser.wait("document.querySelector('#other .panel').innerText.includes('cannot be read: The node is busy.')")
    browser.evaluate("restore()")
    press(browser, "Try again")
    browser.wait(f"{rows()} > 0 && !document.querySelector('#other').innerText.includes('cannot be read')")
    check(True, "or by a button that says so")
    go(browser, "keys")
    browser.wait(f"{rows()} > 0")
    browser.evaluate("document.querySelector('#other summary').click()")
    fill(browser, "Label", "till 7")
    fill(browser, "activities:read", "")
    answer_instead(browser, "/v1/keys", BUSY, "GET")
    press(browser, "Create")
    browser.wait("document.querySelector('#other .panel:last-child').innerText.includes('The node is busy.')")
    check("islet_" in text(browser, "#other .copyable"), "a key that is shown once outlives a list that cannot be read")
    browser.evaluate("restore()")
    answer_instead(browser, "/v1/keys", "Promise.reject(new TypeError('Failed to fetch'))", "POST")
    fill(browser, "activities:read", "")
    press(browser, "Create")
    browser.wait("document.querySelector('#other [role=alert]').innerText.includes('did not answer')")
    check("look before you try again" in text(browser, "#other [role=alert]"),
          "a change without an answer is said to be uncertain")
    browser.evaluate("restore()")
    go(browser, "keys")
    browser.wait(f"{rows()} > 0")
    browser.evaluate("[...document.querySelectorAll('#other tbody tr')]"
                     ".find(e => e.innerText.includes('till 7')).querySelector('button').click()")
    answer(browser, "Revoke")
    browser.wait("document.querySelector('#other .said-line').innerText !== ''")
    check(browser.evaluate("document.activeElement.classList.contains('said-line')"),
          "what came of an action is where the focus goes")


def look_after_policies(browser):
    go(browser, "policies", "&kind=PizzaDelivery")
    browser.wait("document.getElementById('policy-document')?.value === '{}'")
    write(browser, '{"rules": {"nothing": "alert"}}')
    press(browser, "Check")
    browser.wait("document.querySelector('#other .faults')?.innerText.includes('/rules/nothing')")
    check(True, "a fault of a policy is shown with its place")
    for language in ["de", "en"]:
        browser.evaluate("document.querySelector('#policy-document').dataset.old = ''")
        choose(browser, "language", language)
        browser.wait("document.querySelector('#policy-document:not([data-old])')"
                     " && document.querySelector('#other .faults').innerText.includes('/rules/nothing')")
    check(True, "in another language as well")
    write(browser, '{"rules": {"driverAssigned": "timely"}}')
    press(browser, "Try it")
    browser.wait("document.querySelector('#other .tried')?.innerText.includes('Alerts: 0 added')")
    check("1 removed" in text(browser, ".tried") or "2 removed" in text(browser, ".tried"),
          "trying it on the past says which alerts would go")
    picture(browser, "what-if-wide")
    press(browser, "Put in force")
    browser.wait("document.querySelector('dialog.ask')?.open")
    check("+" in text(browser, "dialog.ask .diff") and "driverAssigned" in text(browser, "dialog.ask .diff"),
          "putting it in force shows what changes")
    check_with_axe(browser, "the question")
    answer(browser, "Put in force")
    browser.wait("document.querySelector('#other .said-line').innerText.includes('Version 1 is in force')")
    browser.wait("document.querySelector('#other').innerText.includes('Version 1, from position')")
    check(True, "and the history has it")
    go(browser, "policies", "&kind=PizzaDelivery&activity=order-3")
    browser.wait("document.getElementById('tried-activity')?.value === 'order-3'")
    write(browser, "{}")
    press(browser, "Try it")
    browser.wait("document.querySelector('#other').innerText.includes('order-3: ')")
    check("Ada" in text(browser, "#other"), "one order's alerts are shown before and after")
    press(browser, "Drop the draft")
    answer(browser, "Drop the draft")


def look_after_webhooks(browser):
    go(browser, "webhooks")
    browser.wait("document.querySelector('#other').innerText.includes('There is no webhook')")
    browser.evaluate("document.querySelector('#other summary').click()")
    fill(browser, "URL", "http://shop.example/hook")
    press(browser, "Add")
    browser.wait("document.querySelector('#other .form .field .error').innerText.includes('https')")
    check("1 error" in text(browser, "#other [role=alert]"), "a URL that is none is refused beside its field")
    fill(browser, "URL", "https://shop.example/hook")
    press(browser, "Add")
    browser.wait(f"{rows()} === 1")
    check("whsec_" in text(browser, "#other .copyable"), "its secret is shown once")
    press(browser, "Test")
    browser.wait("document.querySelector('#other .said-line').innerText.includes('arrived')")
    browser.wait(f"{rows()} === 1")
    answer_instead(browser, "/v1/webhooks", "new Promise(done => { window.answer = () => done(new Response("
                   "JSON.stringify({delivered: false, reason: 'no answer'}))); })", "POST")
    press(browser, "Test")
    check(text(browser, "#other .said-line") == "", "while a test is on its way nothing is said of the one before")
    browser.evaluate("answer()")
    browser.wait("document.querySelector('#other .said-line').innerText.includes('did not arrive: no answer')")
    browser.evaluate("restore()")
    browser.wait(f"{rows()} === 1")
    press(browser, "Attempts")
    browser.wait("document.querySelector('#other .below')?.innerText.includes('Every message')")
    press(browser, "Turn off")
    answer(browser, "Turn off")
    browser.wait("document.querySelector('#other tbody').innerText.includes('Off')")
    press(browser, "Turn on")
    browser.wait("document.querySelector('#other tbody').innerText.includes('On')")
    press(browser, "Remove")
    check("shop.example" in answer(browser, "Remove"), "removing a webhook names it")
    browser.wait(f"{rows()} === 0")


def tell_dead_letters_apart(browser):
    letters = ", ".join(
        f"{{id: '{order}', carrier: 'webhook', activity: '{order}', to: 'https://shop.example', reason: 'status 500',"
        " attempts: 9, version: 1, givenUpAt: '2027-01-15T08:00:00Z', canRetry: true}" for order in ("order-1", "order-2"))
    go(browser, "webhooks")
    answer_instead(browser, "/v1/dead-letters",
                   f"Promise.resolve(new Response(JSON.stringify({{deadLetters: [{letters}], next: null}})))")
    browser.evaluate("[...document.querySelectorAll('#other .tabs a')].find(e => e.search === '?view=letters').click()")
    browser.wait(f"{rows()} === 2")
    names = browser.evaluate("[...document.querySelectorAll('#other .acts button:first-child')].map(e => e.ariaLabel).join()")
    check("order-1" in names and "order-2" in names, f"buttons of two letters to one server have two names: {names}")
    press(browser, "Retry")
    check("order-1" in answer(browser, "Cancel"), "and so have their questions")
    browser.evaluate("restore()")


def look_after_tenants(browser):
    go(browser, "tenants")
    browser.wait(f"{rows()} === 1")
    browser.evaluate("document.querySelector('#other summary').click()")
    fill(browser, "Tenant", "bakery")
    press(browser, "Create")
    browser.wait(f"{rows()} === 2")
    fill(browser, "Tenant", "bakery")
    press(browser, "Create")
    browser.wait("document.querySelector('#other .said-line').innerText.includes('is there already')")
    check(True, "a tenant that is there already is said to be")
    press(browser, "Set limits")
    browser.wait("document.querySelector('#other .below form')?.checkVisibility()")
    fill(browser, "requestsPerSecond", "500")
    press(browser, "Set limits", "#other .below")
    browser.wait("document.querySelector('#other .plain-table').innerText.includes('requestsPerSecond 500')")
    check(text(browser, "#other .said-line") == "Done."
          and browser.evaluate("document.activeElement.className") == "said-line", "what was done is said, and seen")
    press(browser, "Set limits")
    browser.wait("document.querySelector('#other .below form')?.checkVisibility()")
    fill(browser, "eventsPerSecond", "700")
    press(browser, "Set limits", "#other .below")
    browser.wait("document.querySelector('#other .plain-table').innerText.includes('eventsPerSecond 700')")
    check("requestsPerSecond 500" in text(browser, "#other .plain-table"), "a limit that was just set stays")
    check(True, "tenants are created and limited by a key that may")


def read_what_was_done(browser):
    go(browser, "audit")
    browser.wait(f"{rows()} > 8")
    said = text(browser, "#other")
    for act in ["activity.retried", "event.skipped", "key.created", "key.revoked", "policy.put",
                "webhook.added", "webhook.removed", "limits.set"]:
        check(act in said, f"{act} is written down")
    check("signed in to the dashboard" in said, "with who did it")
    browser.evaluate("[...document.querySelectorAll('#other tbody tr')]"
                     ".find(e => e.innerText.includes('policy.put')).querySelector('summary').click()")
    check("driverAssigned" in text(browser, "#other"), "and what was before and after")
    picture(browser, "audit-wide")


def read_more_by_keys(browser):
    def page(next):
        act = "{at: '2027-01-15T08:00:00Z', actor: 'Ada', act: 'key.created', subject: '1', before: null, after: null}"
        response = f"new Response(JSON.stringify({{acts: [{act}], next: {next}}}))"
        return f"new Promise(done => setTimeout(() => done({response}), 300))"

    go(browser, "audit")
    browser.wait(f"{rows()} > 0")
    answer_instead(browser, "/v1/audit", page("'/v1/audit?before=2'"))
    browser.evaluate("document.querySelector('#other .tabs [aria-current]').click()")
    browser.wait(f"{rows()} === 1")
    browser.evaluate("[...document.querySelectorAll('#other button')].find(e => e.textContent === 'More').focus()")
    browser.press_enter()
    browser.wait(f"{rows()} === 2")
    time.sleep(0.2)
    check(browser.evaluate("document.activeElement.textContent") == "More", "who asks for more by a key may go on so")
    browser.evaluate("restore()")
    answer_instead(browser, "/v1/audit", page("null"))
    browser.press_enter()
    browser.wait(f"{rows()} === 3")
    time.sleep(0.2)
    check(browser.evaluate("document.activeElement.tagName") == "TABLE", "and is on the list at its end")
    browser.evaluate("restore()")


def read_charts(browser):
    go(browser, "charts")
    browser.wait("document.querySelectorAll('#other svg.chart').length === 7")
    names = [name for _, name in browser.accessible_names({"image", "img", "graphics-document"})]
    check(sum("the figures are in the table below" in name for name in names) == 7,
          f"every chart says what it is: {names}")
    browser.evaluate("document.querySelectorAll('#other .charts summary').forEach(e => e.click())")
    check(browser.evaluate("document.querySelectorAll('#other .charts .plain-table tbody tr').length") >= 7,
          "and has a table of its figures")
    check("Decisions with an alert" in text(browser, "#other") and "per activity" not in text(browser, "#other"),
          "no chart has the name of a figure of the board that means something else")
    check("BadDeviceToken" in text(browser, "#other"), "APNs' answers are listed by reason")
    shapes = browser.evaluate(
        "import('/dashboard/charts.js').then(({line, bars, highestOf, chart}) => JSON.stringify(["
        "line([1, null, 2, 4], 4), bars([1, 0, 2], [0, 0, 1], 4),"
        "highestOf([{kind: 'bar', values: [1, 2]}, {kind: 'bar', values: [3, 1]}, {kind: 'line', values: [null, 9]}]),"
        "chart([{kind: 'line', values: [null, null]}], 'x').top, line([], 1)]))")
    check(shapes == '["M25 90H125M375 60L525 0","M0.5 120V90H199.5V120ZM400.5 90V30H599.5V90Z",9,1,""]',
          f"shapes are what figures say, with gaps: {shapes}")
    for span in ["day", "fortnight", "hour"]:
        press(browser, {"day": "Day", "fortnight": "Fortnight", "hour": "Hour"}[span])
        browser.wait(f"location.search.includes('span={span}') && "
                     "document.querySelectorAll('#other svg.chart').length === 7")
    check(True, "an hour, a day and a fortnight are a press away")
    point = ("{at: '2027-01-15T08:00:00Z', events: 0, verdicts: {}, alertShare: null, onTimeShare: 0,"
             " latencySeconds: {p50: null, p99: null}, lagSeconds: 0, answers: {}}")
    answer_instead(browser, "/v1/series", f"Promise.resolve(new Response(JSON.stringify({{points: [{point}]}})))")
    browser.evaluate("document.getElementById('span-day').focus()")
    press(browser, "Day")
    browser.wait("document.querySelectorAll('#other svg.chart').length === 2")
    figures = text(browser, "#other .charts section:nth-child(4)")
    check("On time" in figures and "Nothing in this time" not in figures, "that all are late is a figure")
    check(browser.evaluate("document.activeElement.id") == "span-day", "a choice keeps the focus")
    browser.evaluate("restore()")


def look_at_views(browser):
    for view in ["charts", *VIEWS]:
        go(browser, view)
        ready = "svg.chart" if view == "charts" else "#policy-document" if view == "policies" else ".plain-table"
        browser.wait(f"Boolean(document.querySelector('#other {ready}'))")
        time.sleep(0.2)
        look_around(browser, view, view, {"button", "textbox", "combobox", "checkbox", "link", "spinbutton"})
        browser.look(1280)


def use_keys_alone(browser):
    go(browser, "keys")
    browser.wait(f"{rows()} > 0")
    browser.evaluate("[...document.querySelectorAll('#other tbody button')].at(-1).focus()")
    browser.press_enter()
    browser.wait("document.querySelector('dialog.ask')?.open")
    check(browser.evaluate("document.activeElement.textContent") == "Cancel",
          "a question begins at the answer that does nothing")
    browser.press("Escape")
    browser.wait("!document.querySelector('dialog.ask')")
    check(browser.evaluate("document.activeElement.textContent") == "Revoke", "and leads back to where one was")
    check(browser.evaluate("location.search").endswith("view=keys"), "on the same page")


def speak_german(browser):
    go(browser, "blocked")
    choose(browser, "language", "de")
    browser.wait("document.querySelector('#other h2')?.innerText === 'Blockierte Ereignisse'")
    check("Betrieb" in text(browser, "#nav"), "operators' pages speak German")
    go(browser, "charts")
    browser.wait("document.querySelector('#other').innerText.includes('Rückstand')")
    if browser.looks_around:
        for view in ["charts", *VIEWS]:
            go(browser, view)
            browser.look(320)
            nothing_sticks_out(browser, 320, f"{view} in German")
            browser.look(1280)
    choose(browser, "language", "en")
    browser.wait("document.documentElement.lang === 'en'")


def only_read(browser):
    sign_in(browser, "reader")
    go(browser, "blocked")
    event = ("{position: 1, activity: 'order-9', version: 1, type: 'Made.Up', reason: 'made up',"
             " parkedAt: '2027-01-15T08:00:00Z', isSkipped: false}")
    answer_instead(browser, "/v1/parked-events",
                   f"Promise.resolve(new Response(JSON.stringify({{parkedEvents: [{event}], next: null}})))")
    browser.evaluate("document.querySelector('#other .tabs [aria-current]').click()")
    browser.wait(f"{rows()} === 1")
    browser.evaluate("restore()")
    check(browser.evaluate("document.querySelectorAll('#other tbody button').length") == 0,
          "who may only read sees no button")
    tabs = text(browser, ".tabs")
    check("Keys" not in tabs and "Audit" not in tabs and "Tenants" not in tabs, "nor what only others see")
    go(browser, "policies")
    browser.wait("document.getElementById('policy-document') !== null")
    check("Put in force" not in text(browser, "#other"), "nor a way to put a policy")
    go(browser, "nothing")
    check(text(browser, "#other h2") == "There is no such page.", "nor a view that there is not")
    go(browser, "keys")
    check("lacks the scope admin" in text(browser, "#other"), "and reads which scope a page takes")


def leave_everywhere(browser):
    browser.evaluate("document.querySelector('#settings summary').click()")
    browser.evaluate("document.getElementById('sign-out-all').click()")
    browser.wait("document.getElementById('sign-in').checkVisibility()")
    browser.wait("fetch('/v1/me').then(answer => answer.status === 401)")
    check(text(browser, "#other") == "" and not text(browser, "#nav"), "nothing is left of the pages")


def main():
    browser = open_browser()
    try:
        browser.look(1280)
        sign_in(browser, KEY)
        for step in (keep_no_secret, unblock, look_after_keys, find_faults_of_forms,
                     keep_what_is_typed, meet_a_busy_server, look_after_policies, look_after_webhooks,
                     tell_dead_letters_apart, look_after_tenants, read_what_was_done, read_more_by_keys, read_charts, look_at_views,
                     use_keys_alone, speak_german, leave_everywhere, only_read):
            if step is not look_at_views or browser.looks_around:
                step(browser)
        check(browser.complaints == [], f"the console is silent: {browser.complaints}")
    finally:
        browser.close()


main()
