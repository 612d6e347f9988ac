-- The decisions that push and are not completed: what the sender has yet to send. Each is written
-- with its decision and goes when that is completed, so the table is as small as the backlog. It is
-- no index of the ledger, because an index by the result would keep completions from being HOT.
CREATE TABLE pending_decision (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    send_after timestamptz,
    CONSTRAINT pending_decision_key PRIMARY KEY (tenant, activity_id, version)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

INSERT INTO pending_decision (tenant, activity_id, version, send_after)
SELECT tenant, activity_id, version, send_after FROM decision
WHERE settled_at IS NULL AND verdict <> 'hold';

DROP INDEX decision_pending;

SELECT raise_tenant_walls();
