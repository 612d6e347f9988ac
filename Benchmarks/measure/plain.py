"""The same rows in the same commits, written by pgbench in plain SQL: what the chain is measured against."""

import pathlib
import re
import subprocess

CLIENTS = 8
ORDERS = 500

# What a change writes, commit by commit: the event, its decision and snapshot, the push's result.
EVENT = "INSERT INTO bench_event ({columns}) SELECT {values} FROM bench_event_row;\n"
FOLD = ("WITH decided AS (INSERT INTO bench_decision ({decision}) SELECT {decided} FROM bench_decision_row)\n"
        "UPDATE bench_snapshot SET version = bench_snapshot.version + 1, position = {number}, state = row.state,\n"
        "    content_state = row.content_state, dispatch = row.dispatch, updated_at = now()\n"
        "FROM bench_snapshot_row row WHERE bench_snapshot.activity_id = 'order-' || :order;\n")
SETTLE = ("UPDATE bench_decision SET carried_by = version, accepted = 1, failed = 0, settled_at = now()\n"
          "WHERE activity_id = 'order-' || :order AND version = {number};\n")

# Those of a row that differ from the one it is copied from. An id of version 7 would be in order, so this is too.
NUMBER = "currval('bench_number')"
NEW = {"activity_id": "'order-' || :order", "version": NUMBER, "position": NUMBER,
       "event_id": f"lpad({NUMBER}::text, 36, '0')", "recorded_at": "now()", "decided_at": "now()",
       "updated_at": "now()", "settled_at": "NULL", "carried_by": "NULL", "accepted": "NULL",
       "failed": "NULL", "verdict": "'update'"}


class Plain:
    """Tables like the log's, the ledger's and the snapshots', each with its indexes. The server must have folded
    something: its newest rows are what is written again."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        for table, order in (("event", "position"), ("decision", "position"), ("snapshot", "position")):
            self.server.psql(f"""
                CREATE TABLE bench_{table} (LIKE {table} INCLUDING ALL);
                CREATE UNLOGGED TABLE bench_{table}_row AS SELECT * FROM {table}
                    WHERE tenant = (SELECT id FROM tenant WHERE name = '{self.server.tenant}')
                    ORDER BY {order} DESC LIMIT 1;""")
        columns = self._columns("snapshot")
        values = [{**NEW, "activity_id": "'order-' || n", "version": "1", "position": "n"}.get(each, each)
                  for each in columns]
        self.server.psql(f"""
            INSERT INTO bench_snapshot ({', '.join(columns)})
                SELECT {', '.join(values)} FROM bench_snapshot_row, generate_series(1, {ORDERS}) n;
            CREATE SEQUENCE bench_number;
            VACUUM ANALYZE bench_snapshot;""")
        return self

    def __exit__(self, *_):
        self.server.psql("""
            DROP SEQUENCE bench_number;
            DROP TABLE bench_event, bench_decision, bench_snapshot, bench_event_row, bench_decision_row,
                bench_snapshot_row""")

    def run(self, rate, seconds, settles=False, clients=CLIENTS):
        """Writes so many changes a second, or as many as it can when there is no rate. Returns the latency of each in
        ms, counted from when it was due, and the CPU time of pgbench and Postgres for one in µs."""
        script = pathlib.Path(self.server.directory) / "plain.pgbench"
        script.write_text(self._script(settles), encoding="utf-8")
        logs = pathlib.Path(self.server.scratch)
        for old in logs.glob("plain_log*"):
            old.unlink()
        before = self.server.database_cpu_seconds()
        output = subprocess.run(
            self.server.as_owner([
                "bash", "-c", 'pgbench "$@" 2>&1; times', "pgbench", "-n", "-M", "prepared", "-f", str(script),
                "-c", str(clients), "-j", "1", *(["-R", str(rate)] if rate else []), "-T", str(seconds), "-l",
                f"--log-prefix={logs}/plain_log", self.server.database_url]),
            check=True, stdout=subprocess.PIPE, text=True).stdout
        done = int(re.search(r"actually processed: (\d+)", output).group(1))
        if not done:
            raise SystemExit(f"pgbench did nothing:\n{output}")
        # Of the shell's children: minutes and seconds of user and system time.
        own = sum(int(minutes) * 60 + float(rest) for minutes, rest in
                  re.findall(r"(\d+)m([\d.]+)s", output.strip().splitlines()[-1]))
        cpu = self.server.database_cpu_seconds() - before + own
        micros = [int(line.split()[2]) for path in logs.glob("plain_log*")
                  for line in path.read_text().splitlines()]
        return [each / 1000 for each in micros], cpu / done * 1e6

    def _script(self, settles):
        def filled(table):
            columns = self._columns(table)
            return ", ".join(columns), ", ".join(NEW.get(each, each) for each in columns)

        events, decisions = filled("event"), filled("decision")
        # The first column that has the number makes it.
        values = events[1].replace(NUMBER, "nextval('bench_number')", 1)
        script = f"\\set order random(1, {ORDERS})\n" + EVENT.format(columns=events[0], values=values)
        script += FOLD.format(decision=decisions[0], decided=decisions[1], number=NUMBER)
        return script + SETTLE.format(number=NUMBER) if settles else script

    def _columns(self, table):
        return self.server.psql(
            "SELECT attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped "
            f"AND attrelid = '{table}'::regclass ORDER BY attnum").split()
