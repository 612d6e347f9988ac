"""Reads the API reference as a person would.

usage: docs_check.py BASE_URL
"""

import json
import sys
import urllib.request

from browser import open_browser
from looking import check, nothing_sticks_out

BASE = sys.argv[1]

with urllib.request.urlopen(f"{BASE}/openapi.json", timeout=10) as answer:
    document = json.load(answer)
operations = [one for path in document["paths"].values() for one in path.values()]

page = open_browser()
try:
    page.open(f"{BASE}/docs")
    page.wait("document.querySelectorAll('section').length > 50")
    shown = page.evaluate("[...document.querySelectorAll('section')].map(e => e.id)")
    check(set(one["operationId"] for one in operations) <= set(shown), "every operation is shown")
    check(set(f"schema-{name}" for name in document["components"]["schemas"]) <= set(shown),
          "every schema is shown")
    dangling = page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')]"
        ".filter(a => !document.getElementById(a.getAttribute('href').slice(1))).length")
    check(dangling == 0, "every link leads somewhere")
    text = page.evaluate("document.querySelector('#appendEvents').innerText")
    check("specversion" in text and "events:write" in text, "an operation has an example and a scope")
    check("No API key was sent" in text and "missing-scope" in text,
          "an operation shows the answers that it shares with others")
    if page.looks_around:
        for width in (1280, 810, 360):
            page.look(width)
            nothing_sticks_out(page, width, "the reference")
    hosts = page.evaluate(
        "[...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).origin))]")
    check(hosts == [BASE], "nothing comes from another host")
    check(not page.complaints, f"the console is silent: {page.complaints}")
finally:
    page.close()
