-- Webhooks are told whose push tokens APNs rejected. Each has a place of its own among them: when
-- the last one was that was dealt with, and its registration. What is there already is no news.
ALTER TABLE webhook
    ADD COLUMN rejection_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN rejection_id bigint NOT NULL DEFAULT 0,
    -- The message that did not arrive: about those after the place and up to this one.
    ADD COLUMN rejection_upto_at timestamptz,
    ADD COLUMN rejection_upto_id bigint,
    ADD COLUMN rejection_attempts integer,
    ADD COLUMN rejection_first_tried_at timestamptz,
    ADD COLUMN rejection_retry_at timestamptz,
    ADD CONSTRAINT webhook_rejection_waits_wholly CHECK (
        num_nulls(
            rejection_upto_at, rejection_upto_id, rejection_attempts, rejection_first_tried_at,
            rejection_retry_at
        ) IN (0, 5)
    );

ALTER TABLE webhook ALTER COLUMN rejection_at SET DEFAULT clock_timestamp();

-- Those alone, however much else was given up.
CREATE INDEX registration_rejected ON registration (tenant, given_up_at, id)
    WHERE is_unfit AND given_up_at IS NOT NULL AND closed_at IS NULL;
