"""What provokes each alert, and what mends what a runbook cannot: Apple and other people's servers."""

import contextlib
import dataclasses
import pathlib
import secrets
import subprocess
import threading
import time
import typing


@dataclasses.dataclass(frozen=True)
class Fault:
    alert: str
    provoke: typing.Callable
    # What the commands under "Look" have to print.
    shows: str
    mend: typing.Callable = lambda stage: None
    # Whether the alert ends within the time of a test.
    ends: bool = True


def kill_second(stage):
    stage.target = stage.nodes[1]
    stage.kill_node(stage.target)


def stop_postgres(stage):
    stage.stop_postgres()


def stop_postgres_under_load(stage):
    stage.stop_postgres()

    def post():
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                stage.report("order-1", "DriverLocated", {"distanceMeters": 1})

    for _ in range(4):
        threading.Thread(target=post, daemon=True).start()


def lock_activity(stage, order="locked"):
    tenant = stage.psql("SELECT id FROM tenant WHERE name = 'shop'")
    stage.lock(f"SELECT pg_advisory_lock({tenant}, hashtext('{order}'))")
    stage.add_order(order)


def lock_checkpoint(stage):
    stage.lock("BEGIN; SELECT FROM projection_checkpoint FOR UPDATE")


def stop_clock(stage):
    stage.kill_node(stage.nodes[0])
    stage.psql("UPDATE snapshot SET due_at = now() - interval '1 min' WHERE activity_id = 'idle'")


def lose_standby(stage):
    # In a session each: Postgres takes the first in no transaction.
    stage.psql("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
    stage.psql("SELECT pg_reload_conf()")


def return_primary(stage):
    stage.start_old_primary()
    stage.restart_node(stage.nodes[0])


def cut_way(stage):
    stage.children.kill(stage.way)


def revoke_key(stage):
    stage.fault({"answer": "InvalidProviderToken", "share": 1})


def refuse_pushes(stage):
    """Apple is there and takes nothing; more phones wait than those of one order."""
    stage.add_order("refused")
    for number in range(12):
        stage.register("refused", stage.add_phone(f"Fan {number}", "refused"))
    stage.fault({"answer": "InternalServerError", "share": 1})
    stage.report("refused", "DriverLocated", {"distanceMeters": 500})


def refuse_broadcasts(stage):
    """As with a key that is for the topic of Live Activities alone."""
    stage.add_order("heard")
    path = f"/v1/activities/heard/channels/{stage.bundle}"
    stage.ask(stage.nodes[0].port, path, {"environment": "sandbox"}, stage.key, "PUT")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        channels = stage.ask(stage.nodes[0].port, path, key=stage.key)["channels"]
        if channels[0]["state"] == "open":
            break
        time.sleep(0.2)
    stage.fault({"answer": "TopicMismatch", "share": 1, "of": "broadcasts"})
    # Only what grows between two looks of Prometheus is seen, and one refusal counts for ten seconds.
    for number in range(15):
        stage.report("heard", "DriverLocated", {"distanceMeters": 5_000 + 500 * number})
        time.sleep(1)


def slow_apple(stage):
    stage.fault({"delay": {"p50": 7, "p99": 8}})


def read_for(stage, seconds, readers):
    """As many readers as that, without waiting for them."""
    def read():
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                stage.ask(stage.nodes[0].port, "/v1/activities", key=stage.key)
            time.sleep(0.05)

    for _ in range(readers):
        threading.Thread(target=read, daemon=True).start()


def lock_table(stage):
    stage.lock("BEGIN; LOCK TABLE snapshot IN ACCESS EXCLUSIVE MODE")
    time.sleep(0.5)
    read_for(stage, seconds=40, readers=30)


def refuse_visitors(stage):
    stage.psql("ALTER ROLE islet_visitor NOLOGIN")
    stage.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'islet_visitor'")
    read_for(stage, seconds=60, readers=2)


def forget_transaction(stage):
    stage.lock("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM tenant LIMIT 1")


def kill_sender(stage):
    """The node that has a push under way."""
    stage.fault({"delay": {"p50": 6, "p99": 7}})
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        stage.work()
        for node in stage.nodes:
            if stage.metric(node, "islet_fan_outs") > 0:
                stage.target = node
                stage.kill_node(node)
                stage.no_faults()
                return
        time.sleep(0.2)


def append_nonsense(stage):
    tenant = stage.psql("SELECT id FROM tenant WHERE name = 'shop'")
    stage.psql(f"""SELECT outcomes FROM append_events(
        ARRAY[1], ARRAY[{tenant}], ARRAY['nonsense-{secrets.token_hex(4)}'], ARRAY['/stage'],
        ARRAY['nonsense'], ARRAY['Nonsense.Happened'], ARRAY[1], ARRAY[clock_timestamp()],
        ARRAY['{{}}'::jsonb], ARRAY[NULL::bigint])""")


def register_stranger(stage):
    stage.add_order("stranger")
    stage.register("stranger", secrets.token_hex(32))
    stage.report("stranger", "DriverLocated", {"distanceMeters": 10})


def kill_receiver(stage):
    stage.children.kill(stage.receiver)


def wrong_clock(stage):
    """The database's, as libfaketime does not get on with the nodes' allocator."""
    stage.stop_postgres()
    # Without the program `faketime`, which would be the parent that pg_ctl looks for.
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    stage.start_postgres(["env", f"LD_PRELOAD={library}", "FAKETIME=+6s"])


def few_files(stage):
    stage.target = stage.nodes[1]
    open_files = int(stage.metric(stage.target, "process_open_fds"))
    subprocess.run(["prlimit", "--pid", str(stage.target.process.pid),
                    f"--nofile={open_files + 5}:{open_files + 5}"], check=True)


def old_certificate(stage):
    stage.make_certificate(days=7)


def leave_move(stage):
    """As a process that was killed leaves it."""
    stage.make_other_cell()
    stage.psql("""INSERT INTO tenant_move (tenant, name, move, state, cell)
        SELECT id, name, 'killed', 'leaving', 'eu2' FROM tenant WHERE name = 'shop'""")


def move_back(stage):
    stage.run_islet("tenants", "move", "shop", "--database-url-file", stage.cell_file("eu2"),
                    "--to-url-file", stage.cell_file("eu1"))


FAULTS = [
    Fault("IsletDown", kill_second, "a stand-in"),
    Fault("IsletNotReady", stop_postgres, "no host of the database answers"),
    Fault("IsletDatabaseAway", stop_postgres, "no response"),
    Fault("IsletLoginRefused", refuse_visitors, "the user for what tenants ask is not let in",
          mend=lambda stage: stage.psql("ALTER ROLE islet_visitor LOGIN")),
    Fault("IsletRequestsFail", stop_postgres_under_load, "request failed"),
    Fault("IsletUnsentChanges", lock_activity, "psql"),
    Fault("IsletEventsUnfolded", lock_checkpoint, "stands still"),
    Fault("IsletClockStands", stop_clock, "something has been due"),
    Fault("IsletStandbyAway", lose_standby, "commits wait for 1 synchronous standby"),
    Fault("IsletTwoPrimaries", return_primary, "2 hosts take writes",
          mend=lambda stage: stage.forget_old_primary()),
    Fault("IsletAPNsAway", cut_way, "circuit", mend=lambda stage: stage.start_way()),
    Fault("IsletAPNsFailing", refuse_pushes, "APNs did not take pushes",
          mend=lambda stage: stage.no_faults()),
    Fault("IsletAppStopped", revoke_key, "APNs refuses the key", ends=False,
          mend=lambda stage: stage.no_faults()),
    Fault("IsletChannelsRefused", refuse_broadcasts, "TopicMismatch",
          mend=lambda stage: stage.no_faults()),
    Fault("IsletPushesSlow", slow_apple, "islet_change_seconds_sum",
          mend=lambda stage: stage.no_faults()),
    Fault("IsletDatabasePoolFull", lock_table, "Lock"),
    Fault("IsletOldTransaction", forget_transaction, "idle in transaction"),
    Fault("IsletTakeOver", kill_sender, "took over"),
    Fault("IsletParkedEvents", append_nonsense, "Nonsense.Happened"),
    Fault("IsletDeadLetters", register_stranger, "BadDeviceToken"),
    Fault("IsletWebhooksFailing", kill_receiver, "failing",
          mend=lambda stage: stage.start_receiver()),
    Fault("IsletClockWrong", wrong_clock, "this machine's clock is"),
    Fault("IsletCertificateEnds", old_certificate, "ends in 6 days"),
    Fault("IsletFilesShort", few_files, "room for clients"),
    Fault("IsletMoveStands", leave_move, "stands still", mend=move_back),
]
