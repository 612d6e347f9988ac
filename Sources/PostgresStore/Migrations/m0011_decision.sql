-- The ledger: one decision per folded change, and what became of those that push.
CREATE TABLE decision (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    position bigint NOT NULL,
    verdict text NOT NULL,
    rule text NOT NULL,
    reason text NOT NULL,
    alert json,
    content_state json NOT NULL,
    stale_at timestamptz,
    dismiss_at timestamptz,
    relevance_score double precision,
    decided_at timestamptz NOT NULL,
    carried_by bigint,
    sent_timestamp bigint,
    accepted integer,
    failed integer,
    settled_at timestamptz,
    CONSTRAINT decision_key PRIMARY KEY (tenant, activity_id, version),
    CONSTRAINT decision_outcome_is_whole CHECK (
        (settled_at IS NULL) = (carried_by IS NULL)
        AND (settled_at IS NULL) = (accepted IS NULL)
        AND (settled_at IS NULL) = (failed IS NULL)
    )
);

-- What the sender has yet to send; stays as small as the backlog.
CREATE INDEX decision_pending ON decision (tenant, activity_id, version)
    WHERE settled_at IS NULL AND verdict <> 'hold';

-- Where an activity's pushes end.
CREATE INDEX decision_end ON decision (tenant, activity_id, version) WHERE verdict = 'end';
