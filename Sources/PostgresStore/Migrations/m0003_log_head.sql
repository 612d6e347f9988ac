-- The last position of each log. Appending locks the row until its commit: that is what makes
-- positions dense and equal to commit order. Half-empty pages keep its updates in place.
CREATE TABLE log_head (
    tenant integer NOT NULL,
    position bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT 'epoch',
    CONSTRAINT log_head_key PRIMARY KEY (tenant),
    CONSTRAINT log_head_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
) WITH (fillfactor = 50);
