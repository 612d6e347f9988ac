-- The ledger: one decision for each folded change, and the result of those that push.
CREATE TABLE decision (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    position bigint NOT NULL,
    verdict text NOT NULL,
    rule text NOT NULL,
    reason text NOT NULL,
    -- How much the policy considers the change to be worth, whatever was decided.
    significance text,
    -- What the decision was based on: the version of the tenant's policy (0 when it has none) and
    -- of the program's rules. A decision of other rules is not recomputed; it would come out
    -- differently.
    policy_version integer NOT NULL DEFAULT 0,
    rules_version integer NOT NULL DEFAULT 1,
    alert json,
    -- What the alert is about.
    news json,
    content_state json NOT NULL,
    stale_at timestamptz,
    dismiss_at timestamptz,
    relevance_score double precision,
    decided_at timestamptz NOT NULL,
    -- How the decision is to be carried out, and not before when.
    send_after timestamptz,
    push_order json,
    -- The result: the decision whose push carried this one, and how many phones and channels it
    -- reached.
    carried_by bigint,
    sent_timestamp bigint,
    accepted integer,
    failed integer,
    channels_accepted integer NOT NULL DEFAULT 0,
    channels_failed integer NOT NULL DEFAULT 0,
    settled_at timestamptz,
    CONSTRAINT decision_key PRIMARY KEY (tenant, activity_id, version),
    CONSTRAINT decision_outcome_is_whole CHECK (
        (settled_at IS NULL) = (carried_by IS NULL)
        AND (settled_at IS NULL) = (accepted IS NULL)
        AND (settled_at IS NULL) = (failed IS NULL)
    )
);

-- What the sender has yet to send. It is as small as the backlog.
CREATE INDEX decision_pending ON decision (tenant, activity_id, version)
    WHERE settled_at IS NULL AND verdict <> 'hold';

-- Where an activity's pushes end.
CREATE INDEX decision_end ON decision (tenant, activity_id, version) WHERE verdict = 'end';

-- The alerts in a part of the log, for counting.
CREATE INDEX decision_alert ON decision (tenant, position) WHERE alert IS NOT NULL;

-- Changes that phones do not show, because the state does not fit into a push. There are hardly
-- any.
CREATE INDEX decision_too_large ON decision (tenant, activity_id, version)
    WHERE rule = 'too-large';
