-- A card may be started anew on a phone, once for each decision that wants fresh cards: its version
-- is the lap. First starts have lap 0.
ALTER TABLE card_start
    ADD COLUMN lap bigint NOT NULL DEFAULT 0,
    -- Registration of the card that the fresh one takes the place of, until that has ended.
    ADD COLUMN ends_registration bigint,
    DROP CONSTRAINT card_start_key,
    ADD CONSTRAINT card_start_key PRIMARY KEY (tenant, activity_id, device_id, lap);

-- Laps that are not carried out to the end.
CREATE INDEX card_start_open_lap ON card_start (tenant, activity_id, lap)
    WHERE lap > 0 AND (due_at IS NOT NULL OR ends_registration IS NOT NULL);
