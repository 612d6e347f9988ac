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

-- What is listed as given up are also those.
DROP INDEX registration_given_up;
CREATE INDEX registration_given_up ON registration (tenant, given_up_at, id)
    WHERE given_up_at IS NOT NULL AND retry_at IS NULL AND (dead_at IS NULL OR is_unfit)
        AND closed_at IS NULL;
DROP INDEX registration_given_up_of_activity;
CREATE INDEX registration_given_up_of_activity ON registration (tenant, activity_id, given_up_at)
    WHERE given_up_at IS NOT NULL AND retry_at IS NULL AND (dead_at IS NULL OR is_unfit)
        AND closed_at IS NULL;
