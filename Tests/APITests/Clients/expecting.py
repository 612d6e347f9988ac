"""What the stories of all clients have in common."""

import json
import urllib.request
from pathlib import Path


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"failed: {what}: {found!r}, not {wanted!r}")
    print(f"ok: {what}")


def fetch_document(base, folder):
    """The document that is served, and a file of it."""
    with urllib.request.urlopen(f"{base}/openapi.json", timeout=10) as answer:
        document = json.load(answer)
    path = Path(folder, "openapi.json")
    path.write_text(json.dumps(document))
    return document, path


def operations(document):
    """Names of all of them, as Python has them."""
    return {snake(one["operationId"]) for path in document["paths"].values()
            for one in path.values()}


def snake(name):
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in name)
