-- One row for each activity and phone, written before the push leaves and never removed once it
-- did: no phone is started twice.
CREATE TABLE card_start (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    device_id bigint NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    first_tried_at timestamptz,
    due_at timestamptz,
    reason text,
    -- The wish that it was found for.
    put_version integer NOT NULL,
    -- Number of the claim under which it is being tried.
    claimed_by bigint,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT card_start_key PRIMARY KEY (tenant, activity_id, device_id),
    CONSTRAINT card_start_state_is_known CHECK (state IN (
        'waiting', 'held', 'trying', 'started', 'refused', 'unknown', 'needless'
    )),
    CONSTRAINT card_start_final_is_not_due CHECK (
        (due_at IS NOT NULL) = (state IN ('waiting', 'held', 'trying'))
    ),
    CONSTRAINT card_start_trying_is_claimed CHECK (state <> 'trying' OR claimed_by IS NOT NULL)
) WITH (fillfactor = 80);

CREATE INDEX card_start_due ON card_start (due_at) WHERE due_at IS NOT NULL;

-- Of one activity, those that are not final.
CREATE INDEX card_start_open ON card_start (tenant, activity_id, device_id)
    WHERE due_at IS NOT NULL;

SELECT raise_tenant_walls();
