-- APNs does not know the token in the environment that the phone named, or not as its app's: nothing
-- more is pushed to it, as to a dead one, until the phone registers anew; and until then it is
-- something that was given up.
ALTER TABLE registration
    ADD COLUMN is_unfit boolean NOT NULL DEFAULT false,
    -- APNs has accepted a push to the token, which nobody who makes tokens up can bring about. Most
    -- of those that are there have had one.
    ADD COLUMN is_proven boolean NOT NULL DEFAULT true,
    ADD CONSTRAINT registration_unfit_is_dead CHECK (NOT is_unfit OR dead_at IS NOT NULL) NOT VALID;

ALTER TABLE registration ALTER COLUMN is_proven SET DEFAULT false;

-- Those that are tried again when the app has another key.
CREATE INDEX registration_unfit ON registration (tenant, bundle_id, environment)
    WHERE is_unfit AND closed_at IS NULL;
