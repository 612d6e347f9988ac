-- When an activity was parked or released, for whoever asks what has changed since a moment: what
-- is released can stand at a position that was recorded long before.
ALTER TABLE activity_notice ADD COLUMN noticed_at timestamptz;

-- What there is already was noticed at the earliest when its position had been recorded.
UPDATE activity_notice n SET noticed_at = least(
    coalesce((
        SELECT e.recorded_at FROM event e WHERE e.tenant = n.tenant AND e.position = n.position
    ), statement_timestamp()), statement_timestamp());
ALTER TABLE activity_notice ALTER COLUMN noticed_at SET NOT NULL;

CREATE INDEX activity_notice_by_time ON activity_notice (tenant, noticed_at, position, serial);

-- The later the place, the later the time, whatever the clock does: so the last place before a
-- moment leaves nothing behind. An older program beside this one writes no time, hence a trigger.
CREATE FUNCTION date_activity_notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.noticed_at := greatest(
        statement_timestamp(),
        (SELECT max(n.noticed_at) FROM activity_notice n WHERE n.tenant = NEW.tenant));
    RETURN NEW;
END
$$;

CREATE TRIGGER activity_notice_is_dated BEFORE INSERT OR UPDATE ON activity_notice
    FOR EACH ROW EXECUTE FUNCTION date_activity_notice();
