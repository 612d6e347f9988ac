-- start_waits: what keeps cards from being started.

-- Type of the event whose facts the card's attributes need; null when all are known.
ALTER TABLE snapshot ADD COLUMN awaits text;

-- Cards that are not started because nothing is sent for their app just now.
CREATE INDEX card_start_held ON card_start (tenant, activity_id, device_id)
    WHERE state = 'waiting' AND reason IN (
        'no-app', 'no-key', 'key-sealed', 'key-refused', 'clock-wrong', 'tokens-unfit'
    );

-- Phones of an activity whose last push failed, those that are furthest behind first.
CREATE INDEX registration_behind ON registration (tenant, activity_id, sent_version)
    WHERE last_failure IS NOT NULL;
