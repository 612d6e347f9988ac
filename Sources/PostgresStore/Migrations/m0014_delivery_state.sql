-- The last aps.timestamp used for an activity. It only grows, which keeps phones from going
-- backwards, and it is also the number of the claim that may still write.
CREATE TABLE delivery_state (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    last_timestamp bigint NOT NULL,
    CONSTRAINT delivery_state_key PRIMARY KEY (tenant, activity_id)
) WITH (fillfactor = 70);
