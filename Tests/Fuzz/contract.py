#!/usr/bin/env python3
"""Checks a server by its own OpenAPI document, by schemathesis with all of its checks.

    contract.py URL [--seed N] [--seconds N]    (the API key comes in ISLET_KEY)

Without `--seed` it is the same requests every time: the document's examples, and each limit and type that it names.
What chance finds in the time that there is comes with `make fuzz`.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = ROOT / ".build" / "fuzz" / "venv" / "bin" / "schemathesis"
# Ours replace these. They are in hooks.py, and know what no schema can say: unsayable.py.
REPLACED = [
    "positive_data_acceptance", "negative_data_rejection", "ensure_resource_availability",
]
# An answer takes some milliseconds and a long poll a second; this is for a busy machine.
ANSWER_SECONDS_MAX = 8


def run(url, key, log, seed, seconds, phases="examples,coverage,fuzzing,stateful"):
    """True when nothing was found; what was said is in the log."""
    header = ["--header", f"Authorization: Bearer {key}"] if key else []
    environment = dict(
        os.environ, SCHEMATHESIS_HOOKS="hooks", PYTHONPATH=str(HERE), ISLET_FUZZ_SEED=str(seed))
    command = [
        str(PROGRAM), "run", f"{url}/openapi.json", *header, "--seed", str(seed),
        "--max-time", str(seconds), "--phases", phases, "--continue-on-failure",
        "--checks", "all", "--exclude-checks", ",".join(REPLACED),
        "--request-timeout", str(ANSWER_SECONDS_MAX),
        "--generation-database", "none", "--warnings", "off", "--no-color"]
    with open(log, "w", encoding="utf-8") as file:
        try:
            # It looks at the clock between its cases only.
            code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, cwd=log.parent,
                                  env=environment, timeout=seconds * 3 + 120).returncode
        except subprocess.TimeoutExpired:
            code = "no end"
    text = log.read_text(encoding="utf-8")
    shown = text if code else "".join(
        line for line in text.splitlines(True) if "generated" in line or "Tested:" in line)
    print(shown, end="", flush=True)
    return code == 0


def misfits(document):
    """Where an example is none of its schema."""
    # Of the virtual environment, which `run` may be without.
    import jsonschema_rs

    shared = document["components"]["examples"]

    def find(node, place):
        if isinstance(node, list):
            for index, element in enumerate(node):
                yield from find(element, f"{place}/{index}")
        if not isinstance(node, dict):
            return
        if isinstance(node.get("schema"), dict):
            yield from check(node["schema"], values(node), place)
        elif isinstance(node.get("examples"), list):
            yield from check(node, node["examples"], place)
        for name, member in node.items():
            if name not in ("example", "examples"):
                yield from find(member, f"{place}/{name}")

    def values(media):
        for name in media.get("examples", {}):
            yield shared[name]["value"]
        if "example" in media:
            yield media["example"]

    def check(schema, examples, place):
        rules = jsonschema_rs.Draft202012Validator(
            dict(schema, components=document["components"]))
        for example in examples:
            if not rules.is_valid(example):
                yield f"{place}: {next(rules.iter_errors(example)).message}"

    return list(find(document, ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=100)
    options = parser.parse_args()
    with urllib.request.urlopen(f"{options.url}/openapi.json", timeout=10) as answer:
        for misfit in misfits(json.load(answer)):
            print(f"failed: an example does not fit: {misfit}")
            return 1
    with tempfile.TemporaryDirectory() as folder:
        is_fine = run(options.url, os.environ["ISLET_KEY"], pathlib.Path(folder, "log"),
                     options.seed, options.seconds, phases="examples,coverage")
    print("ok: nothing found" if is_fine else "failed: the server and its document differ")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
