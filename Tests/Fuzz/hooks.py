"""What schemathesis is told beyond the OpenAPI document; loaded by it, see run."""

import functools
import json
import os
import pathlib
import random

import schemathesis

# Fields that any answer may have (RFC 9110, 9111 and 9112); every other one must be documented.
GENERAL = {
    "allow", "cache-control", "connection", "content-length", "content-type", "date",
    "transfer-encoding", "x-content-type-options",
}
FIXTURES = pathlib.Path(__file__).parents[2] / "Sources" / "Demo" / "Fixtures"


@schemathesis.check
def documented_headers(ctx, response, case):
    """No field comes that the document does not name for that status."""
    responses = case.operation.definition.raw.get("responses", {})
    documented = responses.get(str(response.status_code))
    if documented is None:
        return  # The status itself is another check's business.
    known = GENERAL | {name.lower() for name in documented.get("headers", {})}
    undocumented = sorted(name for name in response.headers if name.lower() not in known)
    if undocumented:
        raise AssertionError(f"undocumented header fields: {', '.join(undocumented)}")


@schemathesis.hook
def map_query(context, query):
    """A long poll answers as late as it was asked to; a second shows as much as twenty."""
    wait = query.get("wait") if isinstance(query, dict) else None
    if str(wait).isdigit() and 1 < int(wait) <= 25:
        query["wait"] = 1
    return query


@functools.cache
def _samples():
    return [json.loads(line) for path in sorted(FIXTURES.glob("*.ndjson"))
            for line in path.read_text(encoding="utf-8").splitlines() if line]


@schemathesis.hook
def map_body(context, body):
    """The document does not say which data go with which type, so that chance would hardly ever
    find an event that is recorded: half of them get the type and data of one that is."""
    if context.operation.path != "/v1/events":
        return body
    return [_filled(event) for event in body] if isinstance(body, list) else _filled(body)


def _filled(event):
    if not isinstance(event, dict):
        return event
    chance = random.Random(os.environ.get("ISLET_FUZZ_SEED", "") + repr(event))
    if chance.random() < 0.5:
        return event
    sample = chance.choice(_samples())
    filled = dict(event, type=sample["type"], data=sample["data"])
    # Now and then one that is whole, and now and then one that is told again.
    if chance.random() < 0.5:
        filled = dict(sample, id=f"{sample['id']}-{chance.randrange(50)}")
    filled.pop("schemaversion", None)
    return filled
