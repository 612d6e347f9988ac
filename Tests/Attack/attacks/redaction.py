"""What is to leave the house without names has them in members that nobody foresaw.

Who: somebody who is given a redacted export.
What: events with unlisted members, nested ones, names in keys, in numbers, behind escapes, and in
the activity's own id; the export's bytes are searched for them.
Must be true: everything that the kind's schema does not name as safe is a pseudonym.
Bound: none is found.
"""

import asyncio
import json
import pathlib
import shutil
import tempfile

from client import order
from stage import Finding

IS_SHORT = True
SECRETS = {
    "an unlisted text": ("customerName", "Wilhelmine Musterfrau"),
    "a nested object": ("customer", {"address": {"street": "Geheimgasse 17b"}}),
    "a list": ("contacts", [{"mail": "w.muster@geheim.example"}]),
    "a key": ("Hans-Dieter Heimlich", 1),
    "a nested key": ("extras", {"Frau Verborgen": {"Tochter Lieselotte": True}}),
    "a number": ("phone", 491701234567),
    "an escape": ("note", "Z\u00fcrcher Kl\u00e4ranlage"),
    "a listed text": ("orderNumber", "Bestellung-Privatier"),
}
NEEDLES = ["Wilhelmine", "Musterfrau", "Geheimgasse", "geheim.example", "Heimlich", "Verborgen",
           "Lieselotte", "491701234567", "Kl\u00e4ranlage", "rcher Kl", "Privatier", "Kundin-Erna"]
SUBJECT = "Kundin-Erna-Geheim"


async def run(stage):
    client = stage.client(stage.key("redaction"))
    body = order("redaction-1", SUBJECT)
    for name, value in SECRETS.values():
        body["data"][name] = value
    answer = await client.post("/v1/events", json.dumps(body).encode())
    assert answer.status == 201, answer.body
    escaped = json.dumps(dict(body, id="redaction-2", type="PizzaDelivery.OrderAccepted",
                              data={"kl\u00e4ger": "Frau Verborgen"}))
    await client.request("POST", "/v1/events", escaped.encode(),
                         {"Content-Type": "application/json"})
    await client.close()
    directory = tempfile.mkdtemp(prefix="islet-attack-")
    try:
        exported = await asyncio.to_thread(
            stage.run_islet, "events", "export", "--tenant", "redaction", "--redact", "--to",
            f"{directory}/support.ndjson")
        files = [path for path in pathlib.Path(directory).iterdir()
                 if "redact.key" not in path.name]
        # Also as JSON may write it.
        text = "".join(path.read_text(encoding="utf-8") for path in files)
        seen = text + "".join(json.dumps(json.loads(line), ensure_ascii=False)
                              for line in text.splitlines() if line.startswith('{"'))
        found = [needle for needle in NEEDLES if needle in seen]
        return [
            Finding("the export", f"ends with {exported.returncode}, {len(text)} bytes", "0",
                    exported.returncode == 0 and "redaction-1" in text or len(text) > 200),
            Finding("names in it", f"{len(found)} of {len(NEEDLES)}: {', '.join(found)}"[:90], "0",
                    not found)]
    finally:
        shutil.rmtree(directory, ignore_errors=True)
