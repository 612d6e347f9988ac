#!/usr/bin/env python3
"""Takes the examples that openapi.json lacks from answers that tests were given.

    mkdir /tmp/answers && ISLET_EXAMPLES=/tmp/answers swift test --filter APITests
    .build/fuzz/venv/bin/python Tests/APITests/Clients/examples.py /tmp/answers

Those that are there stay: ReferenceTests compares them with a story. Each problem has one example,
which all operations share that may answer with it. Answers that operations share are left as they
are.
"""

import collections
import json
import pathlib
import sys

import jsonschema_rs

DOCUMENT = pathlib.Path(__file__).parents[3] / "Sources" / "API" / "Assets" / "openapi.json"
PROBLEM = "application/problem+json"
# Longer ones explain no more.
BYTES_MAX = 3_000


class Examples:
    def __init__(self, document, folder):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.answers = collections.defaultdict(list)
        self.parts = collections.defaultdict(list)
        self.validators = {}
        for file in sorted(pathlib.Path(folder).glob("*.json")):
            answer = json.loads(file.read_text())
            self.answers[answer["operation"], str(answer["status"])].append(answer["body"])

    def fill(self):
        """Operations first: what schemas are like is shown by what operations say."""
        examples = self.document["components"].setdefault("examples", {})
        common = collections.Counter()
        for (_, status), bodies in self.answers.items():
            for body in bodies:
                if isinstance(body, dict) and "remedy" in body:
                    name = body["type"].removeprefix("/problems/")
                    common[status, name] += 1
                    kept = examples.setdefault(name, {"value": body})
                    kept["value"] = min(kept["value"], body, key=rank)
        for path, method, operation in self.operations():
            for body in [operation.get("requestBody", {}), *own_responses(operation).values()]:
                for media in body.get("content", {}).values():
                    if "example" in media:
                        self.walk(media["schema"], media["example"])
            for status, response in own_responses(operation).items():
                bodies = self.answers[f"{method.upper()} {path}", status]
                for name, media in response.get("content", {}).items():
                    if name == PROBLEM:
                        self.show_problem(media, status, bodies, common)
                    elif not self.is_shown(media) and bodies and "json" in name:
                        media["example"] = min(
                            (one for one in bodies if "remedy" not in one), key=rank)
                for body in bodies:
                    for media in response.get("content", {}).values():
                        self.walk(media["schema"], body)
        for name, schema in self.schemas.items():
            if "examples" not in schema and self.parts[name]:
                schema["examples"] = [min(self.parts[name], key=rank)]
        for _, _, operation in self.operations():
            for response in own_responses(operation).values():
                for media in response.get("content", {}).values():
                    if "example" in media and media["example"] == self.of_schema(media):
                        del media["example"]

    def is_shown(self, media):
        """By an example of its own, or by the one of its schema."""
        return {"example", "examples"} & set(media) or self.of_schema(media) is not None

    def of_schema(self, media):
        name = media["schema"].get("$ref", "").rsplit("/", 1)[-1]
        return self.schemas.get(name, {}).get("examples", [None])[0]

    def show_problem(self, media, status, bodies, common):
        seen = collections.Counter(
            body["type"].removeprefix("/problems/") for body in bodies if "remedy" in body)
        usual = collections.Counter(
            {name: count for (one, name), count in common.items() if one == status})
        names = sorted(seen) or [name for name, _ in usual.most_common(1)]
        if names:
            media["examples"] = {
                name: {"$ref": f"#/components/examples/{name}"} for name in names}

    def walk(self, schema, value):
        """Notes every part of the value that a named schema describes."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            if not self.fits(name, value):
                return
            self.parts[name].append(value)
            schema = self.schemas[name]
        for branch in schema.get("oneOf", []) + schema.get("anyOf", []):
            self.walk(branch, value)
        if isinstance(value, dict):
            others = schema.get("additionalProperties")
            for name, member in value.items():
                inner = schema.get("properties", {}).get(name, others)
                if isinstance(inner, dict):
                    self.walk(inner, member)
        if isinstance(value, list) and "items" in schema:
            for element in value:
                self.walk(schema["items"], element)

    def fits(self, name, value):
        if name not in self.validators:
            self.validators[name] = jsonschema_rs.Draft202012Validator({
                "$ref": f"#/components/schemas/{name}",
                "components": self.document["components"]})
        return self.validators[name].is_valid(value)

    def operations(self):
        for path, operations in self.document["paths"].items():
            for method, operation in operations.items():
                yield path, method, operation


def own_responses(operation):
    """By status, without those that the document refers to."""
    return {status: one for status, one in operation["responses"].items() if "$ref" not in one}


def rank(value):
    """Best what shows the most members, and of those the shortest."""
    text = json.dumps(value, sort_keys=True)
    return len(text) > BYTES_MAX, -len(shown(value, "")), len(text), text


def shown(value, path):
    """Places that have something in them."""
    if isinstance(value, dict):
        return {place for name, member in value.items() for place in shown(member, f"{path}/{name}")}
    if isinstance(value, list):
        return {place for member in value for place in shown(member, f"{path}/-")}
    return set() if value is None else {path}


def main():
    document = json.loads(DOCUMENT.read_text())
    examples = Examples(document, sys.argv[1])
    examples.fill()
    DOCUMENT.write_text(json.dumps(document, indent=2))
    for name, schema in examples.schemas.items():
        if "examples" not in schema:
            print(f"no example: schema {name}")
    for path, method, operation in examples.operations():
        for status, response in own_responses(operation).items():
            for media, content in response.get("content", {}).items():
                if not examples.is_shown(content):
                    print(f"no example: {method} {path} {status} {media}")


main()
