"""What a server may refuse although its OpenAPI document allows it: each kind of refusal that no
schema can say, with the reason. Every other refusal of what the document allows is a fault."""

import re

# (type of problem, what its text has, why no schema says it)
REFUSALS = [
    ("malformed-json", r"U\+0000",
     "the name or the value of a member that the schema leaves open: only a schema of any JSON "
     "whatever, which refers to itself, could exclude it, and generators make nothing of that"),
    ("log-restored", r"was restored since", "in which epoch the log is"),
    ("invalid-parameter", r"beyond the log", "how far the log has come"),
    ("invalid-parameter", r"has come to \d+ only", "how many versions there are"),
    ("invalid-parameter", r"must lie in the past", "what time it is"),
    ("invalid-key-request", r"a time to come", "what time it is"),
    ("", r"in the years 0001 to 9999",
     "clients that are made of the document check a pattern against the date, not its text"),
    ("invalid-key-request", r"your own key lacks", "which scopes the caller's key has"),
    ("invalid-parameter", r"has texts in", "in which languages a tenant has texts"),
    ("invalid-parameter", r"either `version` or `at`|combined with `waiting`|with `waiting`, the",
     "parameters cannot exclude one another"),
    ("invalid-parameter", r"must have a word or a number", "letters of all alphabets: not every "
     "library of regular expressions knows them as a class"),
    ("invalid-parameter", r"`type`", "types of events are added; /v1/schemas lists them"),
    ("unknown-event-type", r"", "types of events are added; /v1/schemas lists them"),
    ("unknown-schema-version", r"", "the versions of a type of event; /v1/schemas lists them"),
    ("invalid-event-data", r"", "the data of each type of event have a schema of their own"),
    ("invalid-events", r"", "several of these at once"),
    ("invalid-attribute", r"looks like a slip of",
     "an extension attribute whose name is nearly that of another attribute"),
    ("invalid-registration", r"another token than `from`", "members cannot be compared"),
    ("invalid-policy", r"", "names and ranges that each kind has; /v1/policies/{kind} lists them"),
    ("invalid-webhook", r"`url`", "which hosts are on the Internet"),
    ("", r"from \S+ to 9007199254740991|`after` must be what `next` says",
     "a pattern bounds how many digits there are, and not the number"),
    ("", r"longer than \d+ bytes|at most \d+ bytes|1 to \d+ bytes", "a schema counts characters, "
     "and the bound is one of bytes in UTF-8"),
]


def reason(problem):
    """Why this refusal cannot be said by a schema; None for one that can."""
    if "line" in problem:
        return "what the lines of a text are"
    kind = str(problem.get("type", "")).removeprefix("/problems/")
    details = [fault.get("detail", "") for fault in problem.get("errors", [])]
    reasons = [_one(kind, detail) for detail in details or [problem.get("detail", "")]]
    return reasons[0] if all(reasons) else None


def _one(kind, detail):
    return next((why for wanted, words, why in REFUSALS
                 if wanted in ("", kind) and re.search(words, detail)), None)
