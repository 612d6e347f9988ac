"""What every browser's page has in common."""

import time

DEADLINE_SECONDS = 20


class Page:
    """Something with `evaluate`. Every wait ends by a deadline with what was waited for."""

    def wait(self, expression):
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > deadline:
                text = self.evaluate("document.body.innerText")
                raise SystemExit(f"waited in vain for {expression}; the page says:\n{text}")
            time.sleep(0.05)
