-- Remote starts: one row for each activity and phone. It is written before the push leaves and
-- never removed afterwards, so no phone is started twice.
--
-- A card may be started again on a phone, once for each decision that wants fresh cards. The
-- version of that decision is the lap; first starts have lap 0.
CREATE TABLE card_start (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    device_id bigint NOT NULL,
    lap bigint NOT NULL DEFAULT 0,
    state text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    first_tried_at timestamptz,
    due_at timestamptz,
    reason text,
    -- The version of the audience that it was found for.
    put_version integer NOT NULL,
    -- Number of the claim under which it is being tried.
    claimed_by bigint,
    -- Registration of the card that the fresh one replaces, until that card has ended.
    ends_registration bigint,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- An operator has dealt with a start that was given up.
    dismissed_at timestamptz,
    CONSTRAINT card_start_key PRIMARY KEY (tenant, activity_id, device_id, lap),
    CONSTRAINT card_start_state_is_known CHECK (state IN (
        'waiting', 'held', 'trying', 'started', 'refused', 'unknown', 'needless'
    )),
    -- A final start is due once more while the card that it replaced is still to be ended.
    CONSTRAINT card_start_final_is_not_due CHECK (
        CASE WHEN state IN ('waiting', 'held', 'trying') THEN due_at IS NOT NULL
            ELSE due_at IS NULL OR ends_registration IS NOT NULL
        END
    ),
    CONSTRAINT card_start_trying_is_claimed CHECK (state <> 'trying' OR claimed_by IS NOT NULL)
) WITH (fillfactor = 80);

CREATE INDEX card_start_due ON card_start (due_at) WHERE due_at IS NOT NULL;

-- Of one activity, those that are not final.
CREATE INDEX card_start_open ON card_start (tenant, activity_id, device_id)
    WHERE due_at IS NOT NULL;

-- Laps that are not finished.
CREATE INDEX card_start_open_lap ON card_start (tenant, activity_id, lap)
    WHERE lap > 0 AND (due_at IS NOT NULL OR ends_registration IS NOT NULL);

-- First starts of an activity by state, with those to be looked at next before others.
CREATE INDEX card_start_of_state ON card_start (tenant, activity_id, state, due_at)
    WHERE lap = 0;

-- Starts that were given up: of a tenant, and of one activity.
CREATE INDEX card_start_given_up
    ON card_start (tenant, changed_at, activity_id, device_id, lap)
    WHERE state IN ('unknown', 'refused') AND dismissed_at IS NULL;
CREATE INDEX card_start_given_up_of_activity ON card_start (tenant, activity_id, changed_at)
    WHERE state IN ('unknown', 'refused') AND dismissed_at IS NULL;
