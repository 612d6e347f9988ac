"""The questions of docs/how-to/look-after-it.md: each is provoked, and its command has to answer it."""

import contextlib
import dataclasses
import html
import re
import subprocess
import time
import typing

import faults

ANSWER_SECONDS_MAX = 90
COMMAND_SECONDS_MAX = 60


@dataclasses.dataclass(frozen=True)
class Question:
    words: str
    provoke: typing.Callable
    # What the command prints once the fault is there.
    answer: str
    mend: typing.Callable = lambda stage: None


def nothing(stage):
    pass


def find_standby(stage):
    stage.psql("ALTER SYSTEM RESET synchronous_standby_names")
    stage.psql("SELECT pg_reload_conf()")


def let_go(stage):
    stage.psql("""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'psql' AND pid <> pg_backend_pid()""")


def kill_sender(stage):
    """And look at the other node, which takes its work over."""
    faults.kill_sender(stage)
    other = next(node for node in stage.nodes if node is not stage.target)
    stage.environment["METRICS"] = f"http://127.0.0.1:{other.metrics}"


def look_at_first(stage):
    stage.environment["METRICS"] = f"http://127.0.0.1:{stage.nodes[0].metrics}"


QUESTIONS = [
    Question("Is anything broken?", faults.lose_standby,
             "commits wait for 1 synchronous standby", find_standby),
    Question("Do phones get changes now?", lambda stage: faults.lock_activity(stage, "locked-too"),
             r"islet_unsent_seconds [1-9]\d", let_go),
    Question("Is it Apple, or the way to it?", faults.cut_way,
             r"islet_circuit_open\S* 1\b", lambda stage: stage.start_way()),
    Question("Did a node die while it was sending?", kill_sender,
             r"islet_take_overs_total\S* [1-9]", look_at_first),
    Question("Which orders are stuck, and why?", faults.append_nonsense, r"Nonsense\.Happened"),
    Question("Which tenant is behind?", faults.lock_checkpoint, r"shop .* (?:[5-9]|\d\d+)s ", let_go),
    Question("What was given up?", faults.register_stranger, "BadDeviceToken"),
    Question("Why did this phone get that, or nothing?", nothing, "(?i)silent|alert"),
    Question("Does the merchant's server get its messages?", faults.kill_receiver,
             "failing|disabled",
             lambda stage: stage.start_receiver()),
    Question("Who changed something tonight?", nothing, "PizzaDelivery"),
    # The last one, as the app stays stopped for a while.
    Question("Does Apple refuse our key?", faults.revoke_key, "refuses|stopped",
             lambda stage: stage.no_faults()),
]


def commands(page):
    """Of each question in the page's table."""
    text = page.read_text(encoding="utf-8").partition("## Questions at three")[2]
    rows = re.findall(r"^\| ([^|]+\?[^|]*) \| .* \| (?:`|<code>)(.+?)(?:`|</code>) \|$", text, re.M)
    return {words: html.unescape(command) for words, command in rows}


def ask(stage, page):
    """All of them. - Returns: what was not answered."""
    known = commands(page)
    failed = [f"nothing provokes '{words}'" for words in
              set(known) - {question.words for question in QUESTIONS}]
    for question in QUESTIONS:
        if question.words not in known:
            failed.append(f"{page.name} does not have '{question.words}'")
            continue
        question.provoke(stage)
        printed = _answer(stage, known[question.words], question.answer)
        question.mend(stage)
        stage.settle()
        if printed is not None:
            failed.append(f"'{question.words}' is not answered: {printed[-1_000:]}")
        state = "answered" if printed is None else "FAILED"
        print(f"{time.strftime('%H:%M:%S')} {question.words} {state}", flush=True)
    return failed


def _answer(stage, command, answer):
    """What the command printed last, if it does not say it in time; nil if it does."""
    deadline = time.monotonic() + ANSWER_SECONDS_MAX
    printed = ""
    while time.monotonic() < deadline:
        stage.work()
        with contextlib.suppress(subprocess.TimeoutExpired):
            printed = subprocess.run(
                ["bash", "-c", command], env=stage.environment, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=COMMAND_SECONDS_MAX, cwd=stage.directory).stdout
        if re.search(answer, printed):
            return None
        time.sleep(0.5)
    return printed
