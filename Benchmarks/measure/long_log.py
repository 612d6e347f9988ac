"""Half a million events of orders, folded and decided about, which are then gone through in several ways."""

import subprocess
import time

from .filling import fill

EVENTS = 500_000
FEWER = 50_000
TENANTS = {"lately": EVENTS, "briefly": FEWER}

# Orders of twenty events instead of twenty positions of a driver.
VARY = """
    ALTER TABLE event DISABLE TRIGGER event_is_only_erased;
    UPDATE event SET (type, data) = (SELECT 'PizzaDelivery.' || v.type, v.data FROM (VALUES
        (1, 'OrderPlaced', jsonb_build_object('orderNumber', position::text, 'numberOfPizzas', 2,
            'totalAmount', '$31.50', 'promisedAt', '2026-05-01T12:40:00Z')),
        (2, 'OrderAccepted', '{{}}'), (3, 'DriverAssigned', '{{"driverName":"Ada Lovelace"}}'),
        (4, 'OrderPickedUp', '{{"estimatedAt":"2026-05-01T12:35:00Z"}}'),
        (20, 'OrderDelivered', '{{}}')) v (version, type, data) WHERE v.version = event.version)
    WHERE version IN (1, 2, 3, 4, 20) AND tenant = {tenant};
    ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_only_erased;
    VACUUM ANALYZE event;
"""



class LongLog:
    """The logs of two tenants, one of half a million events and one of a tenth of it."""

    @classmethod
    def on(cls, server):
        """Made once for each server: that takes a minute."""
        if not hasattr(server, "long_log"):
            server.long_log = cls(server)
        return server.long_log

    def __init__(self, server):
        self.server = server
        self.ids = {}
        for tenant, events in TENANTS.items():
            fill(server, tenant, events)
            self.ids[tenant] = int(server.psql(f"SELECT id FROM tenant WHERE name = '{tenant}'"))
            server.psql(VARY.format(tenant=self.ids[tenant]))
        self.heads = _fold(server, TENANTS)

    def copy_rate(self, prefix=(), at_once=1):
        """Events a second of Postgres' own way out of the long one.

        `prefix` is what psql is started by, such as `taskset`; `at_once` is how many of it there are.
        """
        start = time.monotonic()
        copies = [
            subprocess.Popen(
                [*prefix, *self.server.as_owner(
                    ["psql", "-qX", "-d", self.server.database_url, "-c",
                     f"COPY (SELECT * FROM event WHERE tenant = {self.ids['lately']} ORDER BY position) "
                     f"TO STDOUT (FORMAT binary)"])],
                stdout=subprocess.DEVNULL)
            for _ in range(at_once)]
        if any([copy.wait() for copy in copies]):
            raise RuntimeError("psql's COPY failed")
        return at_once * self.heads["lately"] / (time.monotonic() - start)


def _fold(server, tenants):
    """Folds what was written into the log, with decisions, as a projector does."""
    process = subprocess.Popen(
        [server.islet, "serve", "--role", "projector", "--port", "0", "--data-dir", server.data],
        stderr=subprocess.DEVNULL)
    try:
        # The clock reports what became due in the meantime, which is folded too.
        quiet, last = 0, None
        while quiet < 5:
            time.sleep(2)
            now = server.psql(
                "SELECT h.tenant, h.position, c.position FROM log_head h "
                "JOIN projection_checkpoint c USING (tenant) ORDER BY 1")
            behind = any(row.split("|")[1] != row.split("|")[2] for row in now.split("\n"))
            quiet = 0 if behind or now != last else quiet + 1
            last = now
    finally:
        process.terminate()
        process.wait(timeout=60)
    server.psql("VACUUM ANALYZE event, decision, snapshot")
    return {tenant: int(server.psql(
        f"SELECT position FROM log_head JOIN tenant t ON t.id = tenant WHERE t.name = '{tenant}'"))
        for tenant in tenants}
