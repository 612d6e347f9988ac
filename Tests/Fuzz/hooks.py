"""What schemathesis knows beyond the OpenAPI document; loaded by it, see run."""

import functools
import json
import os
import pathlib
import random
import re

import schemathesis
from schemathesis.checks import CHECKS
from schemathesis.openapi.checks import RejectedPositiveData

import unsayable

# Fields that any answer may have (RFC 9110 and 9112); every other one must be documented.
GENERAL = {
    "allow", "connection", "content-encoding", "content-length", "content-type", "date",
    "transfer-encoding", "vary", "x-content-type-options",
}
FIXTURES = pathlib.Path(__file__).parents[2] / "Sources" / "Demo" / "Fixtures"


@schemathesis.check
def documented_headers(ctx, response, case):
    """No field comes that the document does not name for that status."""
    documented = case.operation.responses.find_by_status_code(response.status_code)
    if documented is None:
        return  # The status itself is another check's business.
    known = GENERAL | {name.lower() for name in documented.definition.get("headers", {})}
    undocumented = sorted(name for name in response.headers if name.lower() not in known)
    if undocumented:
        raise AssertionError(f"undocumented header fields: {', '.join(undocumented)}")


@schemathesis.check
def accepts_what_the_document_allows(ctx, response, case):
    """As `positive_data_acceptance`, but for refusals that no schema can say. That nothing has changed
    is none."""
    if response.status_code == 304:
        return
    try:
        CHECKS.get_one("positive_data_acceptance")(ctx, response, case)
    except RejectedPositiveData:
        if unsayable.reason(response.json()) is None:
            raise


@schemathesis.check
def refuses_what_the_document_excludes(ctx, response, case):
    """As `negative_data_rejection`, but refused is as well what is refused event by event (207), of
    another log (410), or too long (413)."""
    if response.status_code not in (207, 410, 413):
        CHECKS.get_one("negative_data_rejection")(ctx, response, case)


@schemathesis.check
def finds_what_was_made(ctx, response, case):
    """As `ensure_resource_availability`, which guesses by what something is found; but for registrations (which phone's
    it is says the body, by a push token that is nowhere else), and where it takes a tenant's id for its name."""
    is_guess = str(case.path_parameters.get("tenant", "")).isdigit()
    if not is_guess and not case.operation.path.startswith("/v1/activities/{id}/registrations/"):
        CHECKS.get_one("ensure_resource_availability")(ctx, response, case)


# Lines are made as a text: a schema has no words for them.
schemathesis.serializer.alias("application/x-ndjson", "text/plain")
schemathesis.serializer.alias("application/ndjson", "text/plain")


@schemathesis.hook
def map_query(context, query):
    """A long poll answers as late as it was asked to; a second shows as much as twenty."""
    wait = query.get("wait") if isinstance(query, dict) else None
    if str(wait).isdigit() and 1 < int(wait) <= 25:
        query["wait"] = 1
    return query


# What nobody uses up. With a quota of some bytes, which may be set, every event after it is refused with 507.
QUOTA = 1 << 50
QUOTAS = ("storedEventsMax", "storedBytesMax")


@functools.cache
def _samples():
    return [json.loads(line) for path in sorted(FIXTURES.glob("*.ndjson"))
            for line in path.read_text(encoding="utf-8").splitlines() if line]


@schemathesis.hook
def map_body(context, body):
    """The document does not say which data go with which type, so that chance would hardly ever
    find an event that is recorded: half of them get the type and data of one that is."""
    if context.operation.path == "/v1/tenants/{tenant}/limits" and isinstance(body, dict):
        return body | {name: QUOTA for name in QUOTAS
                       if type(body.get(name)) is int and 0 < body[name] < 1 << 53}
    if context.operation.path != "/v1/events":
        return body
    return [_filled(event) for event in body] if isinstance(body, list) else _filled(body)


def _is_name(value):
    return isinstance(value, str) and re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]{1,200}", value)


def _filled(event):
    """What is wrong with it stays: only a type and data that are well formed are replaced."""
    if not isinstance(event, dict) or not isinstance(event.get("data"), dict):
        return event
    if not _is_name(event.get("type")):
        return event
    chance = random.Random(os.environ.get("ISLET_FUZZ_SEED", "") + repr(event))
    if chance.random() < 0.5:
        return event
    sample = chance.choice(_samples())
    filled = dict(event, type=sample["type"], data=sample["data"])
    # Now and then one that belongs to others, and now and then one that is sent again.
    if chance.random() < 0.5 and _is_name(event.get("subject")) and _is_name(event.get("id")):
        filled["subject"] = sample["subject"]
        filled["id"] = f"{sample['id']}-{chance.randrange(50)}"
    if filled.get("schemaversion") is not None and str(filled["schemaversion"]).isdigit():
        filled["schemaversion"] = 1
    return filled
