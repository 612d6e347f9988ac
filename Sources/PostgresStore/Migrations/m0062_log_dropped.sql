-- How many events of each tenant's archived log are dropped, so that a log with gaps that nobody
-- has made on purpose can still be told from one that has only these.
CREATE TABLE log_dropped (
    tenant integer NOT NULL,
    events bigint NOT NULL,
    activities bigint NOT NULL,
    dropped_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT log_dropped_key PRIMARY KEY (tenant),
    CONSTRAINT log_dropped_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);
INSERT INTO tenant_access (relname, access) VALUES ('log_dropped', 'none');
SELECT raise_tenant_walls();
