-- Up to which position each tenant's log is the same before an epoch and in it.
CREATE TABLE log_epoch_kept (
    tenant integer NOT NULL,
    epoch bigint NOT NULL,
    position bigint NOT NULL,
    CONSTRAINT log_epoch_kept_key PRIMARY KEY (tenant, epoch),
    CONSTRAINT log_epoch_kept_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);
