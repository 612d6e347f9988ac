-- What was given up stays findable until somebody deals with it: pushes to phones that were refused
-- or failed too often, and starts. Messages to webhooks have it already.
ALTER TABLE registration ADD COLUMN given_up_at timestamptz;

CREATE INDEX registration_given_up ON registration (tenant, given_up_at, id)
    WHERE given_up_at IS NOT NULL;

ALTER TABLE card_start ADD COLUMN dismissed_at timestamptz;

CREATE INDEX card_start_given_up
    ON card_start (tenant, changed_at, activity_id, device_id, lap)
    WHERE state IN ('unknown', 'refused') AND dismissed_at IS NULL;
