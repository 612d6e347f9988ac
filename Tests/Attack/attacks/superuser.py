"""Out of the tenant's walls by a statement.

Who: anyone who gets a statement of theirs into one of Islet's connections.
What: the role of Islet's connections to the private Postgres is looked at from outside; then, as
that role, what a superuser may is tried: to become another role, to read files, to run programs;
and as the visitors' role, to put tables in front of Islet's.
Must be true: Islet's role is no superuser and passes row-level security only as a table's owner.
Bound: no connection is a superuser's, and nothing of it succeeds.
"""

import asyncio
import subprocess
import urllib.parse

from stage import Finding

IS_SHORT = True
ROLES = """
    SELECT DISTINCT a.usename, r.rolsuper OR r.rolbypassrls OR r.rolcreaterole
    FROM pg_stat_activity a JOIN pg_roles r ON r.rolname = a.usename
    WHERE a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
      AND a.application_name NOT LIKE 'psql%' AND a.datname IS NOT NULL"""
TRIED = [
    "SET ROLE postgres", "SELECT set_config('role', 'postgres', false)",
    "SET SESSION AUTHORIZATION postgres", "SELECT pg_read_file('/etc/passwd')",
    "COPY (SELECT 1) TO PROGRAM 'true'", "CREATE ROLE attacker SUPERUSER",
    "ALTER SYSTEM SET log_statement = 'all'", "SELECT rolpassword FROM pg_authid",
]
# What Islet's statements, or functions that work as the owner, might find instead of its own.
TRIED_AS_VISITOR = TRIED + [
    "CREATE TEMP TABLE tenant_move (tenant integer)", "CREATE TABLE bait (tenant integer)",
    "CREATE TEMP VIEW bait AS SELECT 1 AS tenant",
]


async def run(stage):
    return await asyncio.to_thread(_look, stage)


def _look(stage):
    rows = [row.split("|") for row in stage.server.psql(ROLES).splitlines()]
    supers = [name for name, is_super in rows if is_super == "t"]
    names = sorted({name for name, _ in rows})
    owner = stage.server.psql("SELECT current_user")
    succeeded = []
    for name in names:
        for sql in TRIED_AS_VISITOR if name == "islet_visitor" else TRIED:
            if name == owner and sql.startswith("SET"):
                continue  # It is that role already.
            if _as(stage, name, sql) == 0:
                succeeded.append(sql)
    return [
        Finding("superusers among Islet's roles",
                f"{len(supers)} of {len(names)} ({', '.join(names)})", "0",
                bool(names) and not supers),
        Finding("what succeeds as Islet's role", f"{len(succeeded)} of {len(TRIED_AS_VISITOR)}", "0",
                not succeeded)]


def _as(stage, role, sql):
    """In a transaction that is given up."""
    host = urllib.parse.quote(f"{stage.server.data}/run", safe="")
    database = stage.server.psql(
        "SELECT datname FROM pg_stat_activity WHERE backend_type = 'client backend' "
        f"AND usename = '{role}' AND pid <> pg_backend_pid() LIMIT 1") or "postgres"
    done = subprocess.run(
        stage.server.as_owner(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d",
             f"postgresql:///{database}?host={host}&user={role}"]),
        input=f"{sql};\nROLLBACK;\n" if "SYSTEM" in sql else f"BEGIN;\n{sql};\nROLLBACK;\n",
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    return done.returncode
