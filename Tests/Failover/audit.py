"""What must be true in the end, whatever happened."""

import collections

from stage import TENANT

SETTLE_SECONDS_MAX = 90
# All that a server may answer instead of an acknowledgement while its database is away.
REASONS = ("unanswered", "503", "429")


def audit(stage):
    """Returns a line for each thing that must be true: whether it was, and what was found."""
    is_over = stage.stop_load()
    found = [(is_over, "every order's last event is acknowledged")]
    notes = stage.notes
    newest = {order: told[-1][1] for order, told in notes.told.items()}

    def stale():
        return [order for order, number in newest.items()
                if not notes.shown[order] or notes.shown[order][-1][1] != number]

    stage.wait_for(lambda: not stale(), SETTLE_SECONDS_MAX)
    if stale():
        keep_evidence(stage, stale())
    found.append((not stale(), f"every phone shows the newest state: {len(newest) - len(stale())} "
                  f"of {len(newest)}" + named(stale())))
    found.append((not notes.violations, "no phone went backwards, and no event was acknowledged "
                  "twice" + named(notes.violations)))
    found += acknowledged(stage) + answers(notes)
    crashed = stage.crashed()
    found.append((not crashed, "no server ended by itself" + named(crashed)))
    verified = stage.run_islet(
        "replay", "verify", "--tenant", TENANT, "--decisions", check=False)
    said = (verified.stdout + verified.stderr).strip()
    (stage.output / "verify.log").write_text(said + "\n", encoding="utf-8")
    found.append((verified.returncode == 0, "islet replay verify --decisions: "
                  + said.splitlines()[-1]))
    return found


def keep_evidence(stage, orders):
    """What phones, ledger and database have to say about phones that were not told."""
    phones = stage.ask(stage.control, "/phones")
    ids = {phone["name"]: phone["id"] for phone in phones}
    queries = [
        "SELECT activity_id, version, verdict, rule, send_after, settled_at, accepted, failed "
        "FROM decision WHERE activity_id IN ("
        + ", ".join(f"'{order}'" for order in orders) + ") AND settled_at IS NULL",
        "SELECT pid, application_name, state, wait_event, query_start, left(query, 60) "
        "FROM pg_stat_activity WHERE datname = 'islet'",
        "SELECT pid, locktype, classid, objid, granted FROM pg_locks WHERE locktype = 'advisory'",
    ]
    with open(stage.output / "stale.txt", "w", encoding="utf-8") as file:
        for order in orders:
            phone = stage.ask(stage.control, f"/phones/{ids[order]}")
            print(order, *phone["log"][-3:], sep="\n  ", file=file)
        for query in queries:
            print("", query, stage.cluster.psql(query), sep="\n", file=file)


def acknowledged(stage):
    """Acknowledged means in the log, once, where it was said to be."""
    rows = stage.cluster.psql(
        "SELECT e.event_id, e.position FROM event e JOIN tenant t ON t.id = e.tenant "
        f"WHERE t.name = '{TENANT}' AND e.source = '/failover'").splitlines()
    log = [row.split("|") for row in rows]
    places = {ident: int(position) for ident, position in log}
    acked = stage.notes.acked
    missing = [ident for ident in acked if ident not in places]
    moved = [ident for ident in acked if ident in places and places[ident] != acked[ident]]
    twice = [ident for ident, count in collections.Counter(i for i, _ in log).items() if count > 1]
    unknown = [ident for ident in places if ident not in acked]
    kept = set(map(int, stage.cluster.psql("SELECT n FROM plain.row").split()))
    lost = [number for number in stage.notes.rows if number not in kept]
    return [
        (bool(acked) and not missing,
         f"of {len(acked)} acknowledged events {len(missing)} are missing" + named(missing)),
        (not moved, f"{len(moved)} stand elsewhere than was said" + named(moved)),
        (not twice, f"{len(twice)} are there twice" + named(twice)),
        (not unknown, f"{len(unknown)} were never acknowledged and are there" + named(unknown)),
        (not lost, f"of {len(stage.notes.rows)} rows of the plain writer {len(lost)} are missing"
         + named(lost)),
    ]


def answers(notes):
    reasons = collections.Counter(reason for _, reason in notes.refusals)
    strange = [reason for reason in reasons if not reason.startswith(REASONS)]
    said = ", ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
    return [(not strange, f"no answer but an acknowledgement, 503 or none: {said}")]


def named(items):
    return "".join(f"; {item}" for item in items[:3]) + ("; …" if len(items) > 3 else "")
