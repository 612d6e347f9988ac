"""The browser that the checks drive: Chromium, or Firefox where BROWSER says so."""

import os


def open_browser():
    if os.environ.get("BROWSER") == "firefox":
        from firefox import Firefox  # Needs what requirements.txt has; Chromium does without.
        return Firefox()
    from chromium import Chromium
    return Chromium()
