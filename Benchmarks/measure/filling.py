"""A long log, made in the database: posting ten million events would take all day."""

STEP = 500_000
EVENTS_PER_ACTIVITY = 20

# As they come in: ids and times in order, an activity's events near each other, ids of version 7
# with the milliseconds of the event before the digits that differ.
FILL = """
    INSERT INTO event (tenant, position, activity_id, version, event_id, source, type,
        schema_version, occurred_at, recorded_at, data)
    SELECT t.id, n, 'order-' || (n - 1) / {per}, 1 + (n - 1) % {per},
        to_char(n, 'FM000000000000') || '-7000-8000-' || to_char(n, 'FM000000000000'),
        '/bench', 'PizzaDelivery.DriverLocated', 1, at.moment, at.moment,
        jsonb_build_object('distanceMeters', 1200, 'estimatedAt', '2026-05-01T12:20:00Z',
            'note', repeat('x', 60))
    FROM tenant t, generate_series({first}, {last}) n,
        LATERAL (SELECT timestamptz '2026-01-01 00:00Z' + n * interval '1 millisecond') at (moment)
    WHERE t.name = '{tenant}' ORDER BY n;
    UPDATE log_head SET position = {last},
        recorded_at = timestamptz '2026-01-01 00:00Z' + {last} * interval '1 millisecond'
    WHERE tenant = (SELECT id FROM tenant WHERE name = '{tenant}');
"""


def fill(server, tenant, events):
    """Gives a new tenant a log of so many events."""
    server.make_key(tenant)
    for first in range(1, events + 1, STEP):
        last = min(first + STEP - 1, events)
        server.psql(FILL.format(tenant=tenant, first=first, last=last, per=EVENTS_PER_ACTIVITY))
    server.psql("VACUUM ANALYZE event")
    server.psql("CHECKPOINT")
