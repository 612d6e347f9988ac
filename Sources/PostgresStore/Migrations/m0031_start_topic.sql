-- Which topics people follow, as pages of phones for each topic.
CREATE TABLE start_topic (
    tenant integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    device_id bigint NOT NULL,
    CONSTRAINT start_topic_key PRIMARY KEY (tenant, kind, topic, device_id),
    CONSTRAINT start_topic_has_token FOREIGN KEY (tenant, device_id, kind)
        REFERENCES start_token (tenant, device_id, kind) ON DELETE CASCADE
);

CREATE INDEX start_topic_by_device ON start_topic (tenant, device_id, kind);
