-- The last position of each tenant's log. Appending locks the row until the commit, which makes
-- positions dense and equal to commit order. Half-empty pages keep its updates in place.
CREATE TABLE log_head (
    tenant integer NOT NULL,
    position bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT 'epoch',
    -- A new value with each append of one appender. An append that was sent before the last one was
    -- answered names the tag that it expects, so it does nothing when the last one failed.
    tag bigint NOT NULL DEFAULT 0,
    -- Counts the tenant's policies of all kinds. A follower reads this row anyway and sees whether
    -- there are new ones.
    policy_epoch integer NOT NULL DEFAULT 0,
    CONSTRAINT log_head_key PRIMARY KEY (tenant),
    CONSTRAINT log_head_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
) WITH (fillfactor = 50);
